/**
 * Commands that a person always allows in one folder.
 *
 * They stand in the person's own settings, by folder, and nothing in a repository
 * adds to them: no clone brings any. A rule holds for one tier, and for the exact
 * command or, of a single plain command, its first two words and whatever follows.
 *
 * What a newcomer gets wrong: a rule is about a command behind the wall. Where
 * there is none, or the tool has another reason to ask, the person is asked all
 * the same; and `host` is asked for every time.
 */
import { Document, Failure, type JsonObject, type Ports } from "@bridle/record";
import * as Type from "typebox";
import { Compile } from "typebox/compile";
import type { ApprovalRequest, Approver } from "../types.js";

export const AllowRule = Type.Object(
  {
    needs: Type.Union([Type.Literal("write"), Type.Literal("network")]),
    command: Type.String({
      minLength: 1,
      description: "Exact; with ` *` at its end whatever follows two words.",
    }),
  },
  { additionalProperties: true },
);
export type AllowRule = Type.Static<typeof AllowRule>;

export const AllowFile = Type.Object(
  {
    allowKind: Type.Literal("bridle.allow.v1"),
    folders: Type.Array(
      Type.Object({ folder: Type.String(), rules: Type.Array(AllowRule) }, { additionalProperties: true }),
    ),
  },
  { additionalProperties: true, title: "Commands that a person always allows, by folder" },
);
type AllowFile = Type.Static<typeof AllowFile>;

export interface AllowListOptions {
  readonly ports: Ports;
  /** `~/.config/bridle/allow.json`. */
  readonly path: string;
  /** Absolute, with every link resolved. */
  readonly workspace: string;
}

export class AllowList {
  private constructor(
    private readonly document: Document<AllowFile>,
    private readonly workspace: string,
  ) {}

  static async open({ ports, path, workspace }: AllowListOptions): Promise<AllowList> {
    const document = await Document.open<AllowFile>({
      ...{ ports, path, check: (value) => checked(value, path), members: ["allowKind", "folders"] },
      rows: { member: "folders", members: ["folder", "rules"], idOf: (row) => String(row["folder"]) },
    });
    return new AllowList(document, workspace);
  }

  /** Of this folder. */
  async rules(): Promise<readonly AllowRule[]> {
    return rulesOf(await this.document.read(), this.workspace);
  }

  async allows(request: ApprovalRequest): Promise<boolean> {
    const wish = wishOf(request);
    if (wish === undefined) return false;
    return (await this.rules()).some(
      ({ needs, command }) => needs === wish.needs && matches(command, wish.command),
    );
  }

  async add(rule: AllowRule): Promise<void> {
    await this.change((rules) => [...rules.filter((each) => !isSame(each, rule)), rule]);
  }

  async remove(rule: AllowRule): Promise<void> {
    await this.change((rules) => rules.filter((each) => !isSame(each, rule)));
  }

  private async change(change: (rules: readonly AllowRule[]) => AllowRule[]): Promise<void> {
    await this.document.change((file) => {
      const { folders, ...rest } = file ?? { allowKind: "bridle.allow.v1" as const, folders: [] };
      const rules = change(rulesOf(file, this.workspace));
      const others = folders.filter(({ folder }) => folder !== this.workspace);
      return {
        ...rest,
        folders: rules.length === 0 ? others : [...others, { folder: this.workspace, rules }],
      };
    });
  }
}

/** The rules that would allow this call from now on: the exact one, and the wider one where there is one. */
export function allowRulesFor(request: ApprovalRequest): AllowRule[] {
  const wish = wishOf(request);
  if (wish === undefined) return [];
  const [first, second, ...rest] = wish.command.split(/ +/);
  const isWide = plain.test(wish.command) && second !== undefined && rest.length > 0;
  return [wish, ...(isWide ? [{ needs: wish.needs, command: `${first} ${second} *` }] : [])];
}

/** Asks only about what is not always allowed, and remembers what is from now on. */
export function withAllowList(approver: Approver | undefined, list: AllowList): Approver {
  return async (request, signal) => {
    if (await list.allows(request)) return { decision: "approve" };
    if (approver === undefined) return { decision: "reject", reason: "nobody is there to approve it" };
    const answer = await approver(request, signal);
    if (answer.decision !== "approve" || answer.always === undefined) return answer;
    const rule = allowRulesFor(request)[answer.always === "wide" ? 1 : 0];
    if (rule !== undefined) await list.add(rule);
    return { decision: "approve" };
  };
}

/** Words without any sign that means something to a shell. */
const plain = /^(?!\S*=)[\w@%+=:,./-]+(?: +[\w@%+=:,./-]+)*$/;

function matches(rule: string, command: string): boolean {
  if (!rule.endsWith(" *")) return rule === command;
  return plain.test(command) && command.split(/ +/).slice(0, 2).join(" ") === rule.slice(0, -2);
}

function wishOf({ intent, args, because }: ApprovalRequest): AllowRule | undefined {
  const { command } = args;
  const { needs } = intent;
  if (because !== undefined || typeof command !== "string") return undefined;
  return needs === "write" || needs === "network" ? { needs, command: command.trim() } : undefined;
}

function rulesOf(file: AllowFile | undefined, workspace: string): readonly AllowRule[] {
  return file?.folders.find(({ folder }) => folder === workspace)?.rules ?? [];
}

function isSame(one: AllowRule, other: AllowRule): boolean {
  return one.needs === other.needs && one.command === other.command;
}

function checked(value: JsonObject, path: string): AllowFile {
  if (Compile(AllowFile).Check(value)) return value;
  throw new Failure("document_invalid", {
    message: `${path} is not a list of allowed commands`,
    hint: "Mend it, or move it away; then nothing is allowed in advance.",
  });
}
