/**
 * The two sides of a row and what they grew from, compared member by member.
 *
 * Which side is left and which is right never decides anything.
 */
import { compareCodePoints, compareInstants, rawMembers } from "@bridle/record";
import { mergeSet, setMembers } from "./merge-set.js";
import { instantOf, isObject, lesser, nameSources, sameJson, type Source } from "./source.js";

export type SideName = "left" | "right";

export interface Loss {
  readonly member: string;
  readonly value: string;
  /** Source of the losing row's `updated_at`. */
  readonly updatedAt: Source;
}

/** Members that are objects of many hands, merged member by member themselves. */
const shared = ["metadata", "beads"];

export class RowSides {
  readonly base: ReadonlyMap<string, string>;
  readonly left: ReadonlyMap<string, string>;
  readonly right: ReadonlyMap<string, string>;
  readonly losses: Loss[] = [];
  /** How a member's name is written. */
  readonly nameOf: (name: string) => string;
  private readonly later: SideName | undefined;

  constructor(base: string | undefined, left: string, right: string) {
    this.base = base === undefined ? new Map() : rawMembers(base);
    this.left = rawMembers(left);
    this.right = rawMembers(right);
    this.nameOf = nameSources(base ?? "{}", left, right);
    this.later = laterSide(this.left.get("updated_at"), this.right.get("updated_at"));
  }

  member(name: string): Source {
    return this.value(name, this.base.get(name), this.left.get(name), this.right.get(name));
  }

  /** The side's value, with the other's kept when it is another one. */
  take(name: string, side: SideName): Source {
    const [won, lost]: readonly [SideName, SideName] =
      side === "left" ? ["left", "right"] : ["right", "left"];
    const [winner, loser] = [this[won].get(name), this[lost].get(name)];
    if (!sameJson(winner, loser) && !sameJson(loser, this.base.get(name))) this.lose(name, loser, lost);
    return winner;
  }

  lose(member: string, value: Source, side: SideName): void {
    if (value === undefined || value === "null") return;
    this.losses.push({ member, value, updatedAt: this[side].get("updated_at") });
  }

  /** Whether both sides changed the member, and not to the same. */
  isContested(name: string): boolean {
    const [base, left, right] = [this.base.get(name), this.left.get(name), this.right.get(name)];
    return !sameJson(left, right) && !sameJson(base, left) && !sameJson(base, right);
  }

  winner(left: Source, right: Source): SideName {
    if (this.later !== undefined) return this.later;
    return compareCodePoints(left ?? "", right ?? "") > 0 ? "left" : "right";
  }

  value(path: string, base: Source, left: Source, right: Source): Source {
    if (left !== undefined && right !== undefined && sameJson(left, right)) return lesser(left, right);
    if (sameJson(base, right)) return left;
    if (sameJson(base, left)) return right;
    if (setMembers.has(path)) {
      const set = mergeSet(path, { base, left, right }, (value, other) => this.contest(path, value, other));
      if (set !== undefined) return set;
    }
    if (shared.includes(path.split(".", 1)[0] ?? "") && isObject(left) && isObject(right)) {
      return this.object(path, isObject(base) ? base : "{}", left, right);
    }
    return this.contest(path, left, right);
  }

  private contest(path: string, left: Source, right: Source): Source {
    const side = this.winner(left, right);
    this.lose(path, side === "left" ? right : left, side === "left" ? "right" : "left");
    return side === "left" ? left : right;
  }

  private object(path: string, base: string, left: string, right: string): string {
    const members = [rawMembers(base), rawMembers(left), rawMembers(right)] as const;
    const [ofBase, ofLeft, ofRight] = members;
    const added = [...new Set([...ofLeft.keys(), ...ofRight.keys()])].filter((name) => !ofBase.has(name));
    const nameOf = nameSources(base, left, right);
    const written = [...ofBase.keys(), ...added.sort(compareCodePoints)].flatMap((name) => {
      const value = this.value(`${path}.${name}`, ofBase.get(name), ofLeft.get(name), ofRight.get(name));
      return value === undefined ? [] : [`${nameOf(name)}:${value}`];
    });
    return `{${written.join(",")}}`;
  }
}

function laterSide(left: Source, right: Source): SideName | undefined {
  const [ofLeft, ofRight] = [instantOf(left), instantOf(right)];
  if (ofLeft === undefined || ofRight === undefined) {
    if (ofLeft === ofRight) return undefined;
    return ofRight === undefined ? "left" : "right";
  }
  const order = compareInstants(ofLeft, ofRight);
  if (order === 0) return undefined;
  return order > 0 ? "left" : "right";
}
