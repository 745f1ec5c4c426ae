/**
 * Members of evidence, read by name: what is required must be there and not blank,
 * and a complaint names the member as the contract spells it.
 */
import { isJsonObject, type JsonObject, normalizeRefs, refuse, type Refusal } from "@bridle/record";

/** Thrown and caught within this folder: evidence that has no normal form. */
export class EvidenceInvalid extends Error {
  refusal(): Refusal {
    return refuse("harness_join_check_invalid", {
      message: this.message,
      hint: "Every member that the contract requires must be there and not blank.",
    });
  }
}

/** An object whose members are read under the name of the whole, such as `toolResults[]`. */
export class Fields {
  private constructor(
    private readonly name: string,
    private readonly members: JsonObject,
  ) {}

  static of(name: string, value: unknown): Fields {
    if (!isJsonObject(value)) throw new EvidenceInvalid(`${name} must be an object`);
    return new Fields(name, value);
  }

  /** Each item of a list under its name with `[]`; none where the list is left out. */
  static each(name: string, value: unknown): Fields[] {
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value)) throw new EvidenceInvalid(`${name} must be a list`);
    return value.map((item) => Fields.of(`${name}[]`, item));
  }

  /** A member that is an object, read; undefined where it is left out. `name` is what complaints call it. */
  part<Shape>(member: string, read: (fields: Fields) => Shape, name = member): Shape | undefined {
    const value = this.raw(member);
    return value === undefined ? undefined : read(Fields.of(name, value));
  }

  raw(member: string): unknown {
    const value = this.members[member];
    return value === null ? undefined : value;
  }

  text(member: string): string {
    const value = this.maybeText(member);
    if (value === undefined) throw new EvidenceInvalid(`${this.name}.${member} must be non-empty`);
    return value;
  }

  /** Several that must be there. */
  all<Name extends string>(...members: readonly Name[]): Record<Name, string> {
    // By hand, as in `present`.
    const found = {} as Record<Name, string>;
    for (const member of members) found[member] = this.text(member);
    return found;
  }

  /** Trimmed; blank is as if it were not there. */
  maybeText(member: string): string | undefined {
    const value = this.raw(member);
    if (value === undefined) return undefined;
    if (typeof value !== "string") throw new EvidenceInvalid(`${this.name}.${member} must be a text`);
    const trimmed = value.trim();
    return trimmed === "" ? undefined : trimmed;
  }

  flag(member: string): boolean {
    const value = this.maybeFlag(member);
    if (value === undefined) throw new EvidenceInvalid(`${this.name}.${member} must be true or false`);
    return value;
  }

  maybeFlag(member: string): boolean | undefined {
    const value = this.raw(member);
    if (value === undefined || typeof value === "boolean") return value;
    throw new EvidenceInvalid(`${this.name}.${member} must be true or false`);
  }

  /** Trimmed, without blanks, each once, in order. */
  texts(member: string): readonly string[] {
    const value = this.raw(member);
    if (value === undefined) return [];
    if (!Array.isArray(value) || !value.every((item) => typeof item === "string"))
      throw new EvidenceInvalid(`${this.name}.${member} must be a list of texts`);
    return normalizeRefs(value);
  }
}
