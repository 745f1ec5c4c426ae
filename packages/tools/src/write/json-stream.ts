/**
 * The arguments of a call, read while they arrive: one JSON object, in pieces
 * that end anywhere, even inside an escape or between two surrogates.
 *
 * Every character is looked at once, whatever the size of the pieces. What a
 * newcomer gets wrong: a decoded piece never ends with half a character, so a
 * reader that stops at any time has a prefix of the text, and a name such as
 * `"path"` inside a string or a nested object is no member.
 */
import type { JsonValue } from "@bridle/record";

/** Contract: cheap, in order, never throws. */
export interface ArgumentListener {
  /** A top-level member begins to be a string; one that was there under this name is void. */
  begin?(member: string): void;
  piece?(member: string, text: string): void;
}

/** Of a string that is still open, `value` is what arrived; of anything else, nothing before it is complete. */
export interface ArgumentMember {
  readonly value: JsonValue;
  readonly complete: boolean;
}

type State =
  | "start"
  | "key-or-end"
  | "key"
  | "colon"
  | "value"
  | "string"
  | "other"
  | "after-value"
  | "complete"
  | "broken";

const quote = 0x22;
const backslash = 0x5c;
/** An escape that is not whole yet. */
const begunEscape = /^\\(?:u[\da-fA-F]{0,3})?$/;

export class ArgumentReader {
  private state: State = "start";
  private readonly members = new Map<string, JsonValue>();
  private name = "";
  /** A string of the top level, decoded; of a key or of a value. */
  private pieces: string[] = [];
  /** An escape that is not whole yet, from its backslash on. */
  private escape = "";
  /** The first half of a character whose second may still come. */
  private half = "";
  /** The text of a value that is no string of the top level. */
  private raw: string[] = [];
  private depth = 0;
  private inRawString = false;
  private rawEscaped = false;

  constructor(private readonly listener: ArgumentListener = {}) {}

  /** `broken`: what arrived is not the beginning of any JSON object. */
  get progress(): "reading" | "complete" | "broken" {
    return this.state === "complete" || this.state === "broken" ? this.state : "reading";
  }

  /** The member whose value is being read. */
  get open(): string | undefined {
    return this.state === "string" || this.state === "other" || this.state === "value"
      ? this.name
      : undefined;
  }

  member(name: string): ArgumentMember | undefined {
    if (this.open === name) {
      return this.state === "string" ? { value: this.pieces.join(""), complete: false } : undefined;
    }
    const value = this.members.get(name);
    return value === undefined ? undefined : { value, complete: true };
  }

  push(delta: string): void {
    let at = 0;
    while (at < delta.length && this.state !== "broken") at = this.step(delta, at);
  }

  /** Takes at least one character and says where the next one is. */
  private step(text: string, at: number): number {
    if (this.state === "key" || this.state === "string") return this.stringStep(text, at);
    if (this.state === "other") return this.otherStep(text, at);
    const char = text[at] as string;
    if (char === " " || char === "\n" || char === "\r" || char === "\t") return at + 1;
    switch (this.state) {
      case "start":
        this.state = char === "{" ? "key-or-end" : "broken";
        break;
      case "key-or-end":
        if (char === '"') this.beginString("key");
        else this.state = char === "}" && this.members.size === 0 ? "complete" : "broken";
        break;
      case "colon":
        this.state = char === ":" ? "value" : "broken";
        break;
      case "value":
        return this.beginValue(char, at);
      case "after-value":
        this.state = char === "," ? "key-or-end" : char === "}" ? "complete" : "broken";
        break;
      default:
        this.state = "broken";
    }
    return at + 1;
  }

  private beginValue(char: string, at: number): number {
    if (char === '"') {
      this.beginString("string");
      this.listener.begin?.(this.name);
      return at + 1;
    }
    this.state = "other";
    this.raw = [];
    this.depth = 0;
    return at;
  }

  private beginString(state: "key" | "string"): void {
    this.state = state;
    this.pieces = [];
    this.half = "";
    this.escape = "";
  }

  // --- Strings of the top level --------------------------------------------------------------------

  private stringStep(text: string, at: number): number {
    if (this.escape !== "") return this.escapeStep(text, at);
    let end = at;
    let code = 0;
    while (end < text.length) {
      code = text.charCodeAt(end);
      if (code === quote || code === backslash || code < 0x20) break;
      end++;
    }
    if (end > at) this.take(text.slice(at, end));
    if (end === text.length) return end;
    if (code === quote) this.endString();
    else if (code === backslash) this.escape = "\\";
    else this.state = "broken";
    return end + 1;
  }

  private escapeStep(text: string, at: number): number {
    this.escape += text[at];
    if (begunEscape.test(this.escape)) return at + 1;
    try {
      const decoded = JSON.parse(`"${this.escape}"`) as string;
      this.escape = "";
      this.take(decoded);
    } catch {
      this.state = "broken";
    }
    return at + 1;
  }

  /** Hands on what is whole; a high surrogate at the end waits for what follows it. */
  private take(text: string): void {
    const whole = this.half + text;
    const last = whole.charCodeAt(whole.length - 1);
    const waits = last >= 0xd800 && last <= 0xdbff;
    this.half = waits ? whole.slice(-1) : "";
    this.deliver(waits ? whole.slice(0, -1) : whole);
  }

  private deliver(text: string): void {
    if (text === "") return;
    this.pieces.push(text);
    if (this.state === "string") this.listener.piece?.(this.name, text);
  }

  private endString(): void {
    // Nothing follows that could complete it, so it stands alone, as in JSON.parse.
    this.deliver(this.half);
    this.half = "";
    const text = this.pieces.join("");
    if (this.state === "key") {
      this.name = text;
      this.state = "colon";
      return;
    }
    this.members.set(this.name, text);
    this.state = "after-value";
  }

  // --- Everything else: gathered until it closes, then parsed whole --------------------------------

  private otherStep(text: string, at: number): number {
    let end = at;
    while (end < text.length) {
      const char = text[end] as string;
      if (this.inRawString) this.rawStringStep(char);
      else if (char === '"') this.inRawString = true;
      else if (char === "{" || char === "[") this.depth++;
      else if (this.depth === 0 && (char === "," || char === "}" || char === "]")) break;
      else if (char === "}" || char === "]") this.depth--;
      end++;
    }
    this.raw.push(text.slice(at, end));
    if (end < text.length) this.endOther();
    return end;
  }

  private rawStringStep(char: string): void {
    if (this.rawEscaped) this.rawEscaped = false;
    else if (char === "\\") this.rawEscaped = true;
    else if (char === '"') this.inRawString = false;
  }

  private endOther(): void {
    try {
      this.members.set(this.name, JSON.parse(this.raw.join("")) as JsonValue);
      this.state = "after-value";
    } catch {
      this.state = "broken";
    }
    this.raw = [];
  }
}
