/**
 * The flags and positions of one command, read into its input.
 *
 * A value that starts with `--` is taken for a forgotten value unless it is
 * written with `=`, so `--path --json` is an error and not a file called --json.
 */
import { nearest, propertiesOf, type ManifestEntry, type Property } from "@bridle/operation";
import type { JsonObject, JsonValue, Refusal } from "@bridle/record";
import { complaint, flagName, meant, quote, unexpected } from "./complaints.js";

export type ParsedInput =
  | { readonly kind: "input"; readonly input: JsonObject }
  | { readonly kind: "help" }
  | { readonly kind: "refused"; readonly refusal: Refusal };

/** `usage` is the launcher and the command's words, as they are typed. */
export function parseInput(argv: readonly string[], entry: ManifestEntry, usage: string): ParsedInput {
  const reader = new InputReader(propertiesOf(entry.input), usage);
  for (let i = 0; i < argv.length; i++) {
    const token = argv[i]!;
    if (token === "--json") continue;
    if (token === "--help" || token === "-h") return { kind: "help" };
    let refusal: Refusal | undefined;
    if (token === "--") {
      refusal = reader.takeRest(argv.slice(i + 1));
      i = argv.length;
    } else if (token === "-" || !token.startsWith("-")) {
      refusal = reader.takePositional(token);
    } else {
      const flag = reader.findFlag(token);
      if (flag.kind === "refused") return flag;
      if (flag.value !== undefined) {
        refusal = reader.take(flag.property, flag.value);
      } else {
        const next = argv[i + 1];
        const forgotten = next === undefined || next.startsWith("--");
        const value = forgotten ? flag.property.bare : next;
        if (value === undefined) {
          return { kind: "refused", refusal: valueForgotten(flag.property, next, usage) };
        }
        if (!forgotten) i++;
        refusal = reader.take(flag.property, value);
      }
    }
    if (refusal) return { kind: "refused", refusal };
  }
  return { kind: "input", input: reader.input };
}

function valueForgotten(property: Property, next: string | undefined, usage: string): Refusal {
  const flag = `--${property.flag}`;
  if (next === undefined || next === "--")
    return complaint(`${flag} needs a value, as in ${flag} <${property.placeholder}>`, usage);
  return complaint(`${flag} needs a value; if the value is ${next}, write ${flag}=${next}`, usage);
}

type FoundFlag =
  | { readonly kind: "flag"; readonly property: Property; readonly value: string | undefined }
  | { readonly kind: "refused"; readonly refusal: Refusal };

class InputReader {
  readonly input: Record<string, JsonValue> = {};
  readonly #properties: readonly Property[];
  readonly #placed: readonly Property[];
  readonly #usage: string;
  /** Those whose value was a word that stands for something. */
  readonly #worded = new Set<string>();
  #place = 0;

  constructor(properties: readonly Property[], usage: string) {
    this.#properties = properties;
    this.#placed = properties
      .filter(({ position }) => position !== undefined)
      .sort((a, b) => a.position! - b.position!);
    this.#usage = usage;
  }

  take(property: Property, text: string): Refusal | undefined {
    const meant = meaningOf(text, property);
    if (meant !== undefined) return this.#takeMembers(property, meant);
    const read = readValue(text, property);
    if ("expected" in read) {
      return complaint(`${nameOf(property)} needs ${read.expected}, got ${quote(text)}`, this.#usage);
    }
    if (property.list) {
      const items = (this.input[property.name] ??= []) as JsonValue[];
      items.push(read.value);
      return undefined;
    }
    if (Object.hasOwn(this.input, property.name) || this.#worded.has(property.name))
      return complaint(`${nameOf(property)} is given twice`, this.#usage);
    this.input[property.name] = read.value;
    return undefined;
  }

  /** What a word stands for: members of their own, and lists that grow. */
  #takeMembers(property: Property, members: JsonObject): Refusal | undefined {
    if (this.#worded.has(property.name)) return complaint(`${nameOf(property)} is given twice`, this.#usage);
    this.#worded.add(property.name);
    for (const [name, value] of Object.entries(members)) {
      if (Array.isArray(value)) {
        this.input[name] = [...((this.input[name] ?? []) as JsonValue[]), ...value];
      } else if (Object.hasOwn(this.input, name)) {
        return complaint(`${nameOf(property)} is given twice`, this.#usage);
      } else if (value !== undefined) {
        this.input[name] = value;
      }
    }
    return undefined;
  }

  takePositional(text: string): Refusal | undefined {
    const last = this.#placed.at(-1);
    const property = this.#placed[this.#place] ?? (last?.list ? last : undefined);
    if (!property) return unexpected(text, this.#usage);
    this.#place += 1;
    return this.take(property, text);
  }

  takeRest(texts: readonly string[]): Refusal | undefined {
    for (const text of texts) {
      const refusal = this.takePositional(text);
      if (refusal) return refusal;
    }
    return undefined;
  }

  /** The flag that a token names; its value where the token carries it. */
  findFlag(token: string): FoundFlag {
    const equals = token.indexOf("=");
    const name = equals < 0 ? token : token.slice(0, equals);
    const value = equals < 0 ? undefined : token.slice(equals + 1);
    const refused = (message: string): FoundFlag => ({
      kind: "refused",
      refusal: complaint(message, this.#usage),
    });

    const property = this.#properties.find(
      ({ flag, short }) => `--${flag}` === name || (short !== undefined && `-${short}` === name),
    );
    if (property)
      return { kind: "flag", property, value: value ?? (isSwitch(property) ? "true" : undefined) };
    const negated = this.#properties.find(
      (candidate) => isSwitch(candidate) && `--no-${candidate.flag}` === name,
    );
    if (negated && value === undefined) return { kind: "flag", property: negated, value: "false" };
    if (negated || name === "--json" || name === "--help") return refused(`${name} takes no value`);
    const flags = [...this.#properties.map(({ flag }) => flag), "json", "help"];
    const near = nearest(name.replace(/^-+/, ""), flags);
    return refused(`unknown flag ${flagName(name)}${meant(near && `--${near}`)}`);
  }
}

/** `P1` and `p1` alike. */
function meaningOf(text: string, { means }: Property): JsonObject | undefined {
  const typed = text.toLowerCase();
  return Object.entries(means).find(([word]) => word.toLowerCase() === typed)?.[1];
}

function isSwitch({ kind, list }: Property): boolean {
  return kind === "boolean" && !list;
}

function nameOf(property: Property): string {
  return property.position === undefined ? `--${property.flag}` : `<${property.flag}>`;
}

/** Strict: a number is written as a number, and nothing else is taken for one. */
function readValue(
  text: string,
  property: Property,
): { readonly value: JsonValue } | { readonly expected: string } {
  switch (property.kind) {
    case "string":
      return { value: text };
    case "boolean":
      return text === "true" || text === "false" ? { value: text === "true" } : { expected: "true or false" };
    case "integer": {
      const value = /^-?\d+$/.test(text) ? Number(text) : NaN;
      return Number.isSafeInteger(value) ? { value } : { expected: "a whole number" };
    }
    case "number": {
      const value = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
      return Number.isFinite(value) ? { value } : { expected: "a number" };
    }
    case "json":
      try {
        return { value: JSON.parse(text) as JsonValue };
      } catch {
        return { expected: "JSON" };
      }
  }
}
