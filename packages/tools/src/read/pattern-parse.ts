/**
 * A pattern as a tree: the part of regular expressions that can be searched for
 * in one pass.
 *
 * What a newcomer gets wrong: this is not all of JavaScript's. What cannot be
 * found without going back (references to a group, looking ahead or behind) is
 * refused by name. Whether one character belongs to a class such as `[a-z]` or
 * `\p{L}` is left to JavaScript, which does that in no time.
 */
import { Failure } from "@bridle/record";

export type CharTest = (char: string) => boolean;

export type Node =
  | { readonly is: "char"; readonly test: CharTest }
  | { readonly is: "all"; readonly of: readonly Node[] }
  | { readonly is: "either"; readonly of: readonly Node[] }
  | { readonly is: "times"; readonly of: Node; readonly min: number; readonly max: number }
  | { readonly is: "start" | "end" | "edge" | "noEdge" };

export const patternCharsMax = 500;
const repeatsMax = 200;
const depthMax = 50;

export function parsePattern(pattern: string, { ignoreCase }: { readonly ignoreCase: boolean }): Node {
  if ([...pattern].length > patternCharsMax) {
    throw patternInvalid(`has more than ${patternCharsMax} characters`, "Search for a shorter part of it.");
  }
  return new Parser([...pattern], ignoreCase).whole();
}

/** A text as it stands. */
export function parseFixed(text: string, { ignoreCase }: { readonly ignoreCase: boolean }): Node {
  return { is: "all", of: [...text].map((char) => ({ is: "char", test: literal(char, ignoreCase) })) };
}

class Parser {
  private at = 0;
  private depth = 0;

  constructor(
    private readonly chars: readonly string[],
    private readonly ignoreCase: boolean,
  ) {}

  whole(): Node {
    const node = this.either();
    if (this.at < this.chars.length)
      throw patternInvalid("has a `)` without its `(`", "Write \\) for the character.");
    return node;
  }

  private either(): Node {
    if (++this.depth > depthMax) throw patternInvalid("nests too deeply", "Use fewer groups.");
    const of = [this.all()];
    while (this.take("|")) of.push(this.all());
    this.depth -= 1;
    return of.length === 1 && of[0] !== undefined ? of[0] : { is: "either", of };
  }

  private all(): Node {
    const of: Node[] = [];
    while (this.at < this.chars.length && this.peek() !== "|" && this.peek() !== ")")
      of.push(this.repeated());
    return { is: "all", of };
  }

  private repeated(): Node {
    let node = this.atom();
    for (let count = 0; ; count++) {
      const bounds = this.bounds();
      if (bounds === undefined) return node;
      if (count > 0) throw patternInvalid("has two repeats in a row", "Put the first into a group: (?:a+)*.");
      // As few as possible or as many makes no difference to whether a line matches.
      this.take("?");
      node = { is: "times", of: node, ...bounds };
    }
  }

  private bounds(): { min: number; max: number } | undefined {
    if (this.take("*")) return { min: 0, max: Infinity };
    if (this.take("+")) return { min: 1, max: Infinity };
    if (this.take("?")) return { min: 0, max: 1 };
    const counted = /^\{(\d+)(,(\d*))?\}/.exec(this.chars.slice(this.at, this.at + 12).join(""));
    if (counted === null) return undefined;
    this.at += counted[0].length;
    const min = Number(counted[1]);
    const max = counted[2] === undefined ? min : counted[3] === "" ? Infinity : Number(counted[3]);
    if (min > max)
      throw patternInvalid("repeats more at least than at most", "Write the smaller number first.");
    if (min > repeatsMax || (max !== Infinity && max > repeatsMax)) {
      throw patternInvalid(`repeats more than ${repeatsMax} times`, "Use * or + instead.");
    }
    return { min, max };
  }

  private atom(): Node {
    const char = this.chars[this.at++] ?? "";
    if (char === "(") return this.group();
    if (char === "[") return this.charClass();
    if (char === "\\") return this.escape();
    if (char === ".") return { is: "char", test: () => true };
    if (char === "^") return { is: "start" };
    if (char === "$") return { is: "end" };
    if (char === "*" || char === "+" || char === "?") {
      throw patternInvalid(`has a \`${char}\` with nothing to repeat`, `Write \\${char} for the character.`);
    }
    return { is: "char", test: literal(char, this.ignoreCase) };
  }

  private group(): Node {
    if (this.take("?")) {
      const kind = this.chars.slice(this.at, this.at + 2).join("");
      if (/^[=!]|^<[=!]/.test(kind)) {
        throw patternInvalid("looks ahead or behind, which is not supported", "Search for the text itself.");
      }
      const named = /^(?::|<\w+>)/.exec(this.chars.slice(this.at, this.at + 60).join(""));
      if (named === null) throw patternInvalid("has a group of an unknown kind", "Use ( ) or (?: ).");
      this.at += named[0].length;
    }
    const node = this.either();
    if (!this.take(")")) throw patternInvalid("has a `(` without its `)`", "Write \\( for the character.");
    return node;
  }

  private charClass(): Node {
    const from = this.at - 1;
    if (this.peek() === "^") this.at += 1;
    while (this.at < this.chars.length && this.peek() !== "]") this.at += this.peek() === "\\" ? 2 : 1;
    if (!this.take("]")) throw patternInvalid("has a `[` without its `]`", "Write \\[ for the character.");
    return { is: "char", test: this.tested(this.chars.slice(from, this.at).join("")) };
  }

  private escape(): Node {
    const char = this.chars[this.at++];
    if (char === undefined) throw patternInvalid("ends with a backslash", "Write \\\\ for the character.");
    if (char === "b") return { is: "edge" };
    if (char === "B") return { is: "noEdge" };
    if (/[1-9k]/.test(char))
      throw patternInvalid("refers to a group, which is not supported", "Spell it out.");
    const rest = this.chars.slice(this.at, this.at + 50).join("");
    const long = { p: /^\{[^}]*\}/, P: /^\{[^}]*\}/, u: /^(?:\{[^}]*\}|[\da-f]{4})/i, x: /^[\da-f]{2}/i }[
      char
    ];
    if (long !== undefined) {
      const tail = long.exec(rest)?.[0];
      if (tail === undefined)
        throw patternInvalid(`has an incomplete \\${char}`, "Write it out, as in \\p{L} or \\x41.");
      this.at += [...tail].length;
      return { is: "char", test: this.tested(`\\${char}${tail}`) };
    }
    if (/[dDwWsStnrfv0]/.test(char)) return { is: "char", test: this.tested(`\\${char}`) };
    if (/\w/.test(char))
      throw patternInvalid(`has the unknown escape \\${char}`, `Write ${char} for the letter.`);
    return { is: "char", test: literal(char, this.ignoreCase) };
  }

  private tested(source: string): CharTest {
    let one: RegExp;
    try {
      one = new RegExp(`^${source}$`, this.ignoreCase ? "iu" : "u");
    } catch {
      throw patternInvalid(`has a class that cannot be read: ${source}`, "Check the class.");
    }
    return (char) => one.test(char);
  }

  private peek(): string | undefined {
    return this.chars[this.at];
  }

  private take(char: string): boolean {
    if (this.peek() !== char) return false;
    this.at += 1;
    return true;
  }
}

function literal(char: string, ignoreCase: boolean): CharTest {
  if (!ignoreCase) return (other) => other === char;
  const [lower, upper] = [char.toLowerCase(), char.toUpperCase()];
  return (other) => other === char || other.toLowerCase() === lower || other.toUpperCase() === upper;
}

export function patternInvalid(says: string, hint: string): Failure {
  return new Failure("pattern_invalid", {
    message: `the pattern ${says}`,
    hint: `${hint} With fixed: true the pattern is taken as plain text.`,
  });
}
