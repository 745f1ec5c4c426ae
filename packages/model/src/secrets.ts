/**
 * Secrets: what must not be seen, and how it is taken out of what is shown.
 *
 * Keys are handed to the provider and to nobody else, so they should not turn up
 * anywhere. They do all the same: a provider repeats the key in its complaint, a
 * tool prints the environment. Whoever writes something down hides the known
 * values first. A token that is drawn later is added then, so share one object.
 */
import { isJsonObject, type JsonValue } from "@bridle/record";

/** What stands where a secret stood. */
const mask = "[secret]";

/** Shorter ones are words (`local`, `none`), and hiding them would spoil the text. */
const secretCharsMin = 8;

/** How often a secret may have been escaped on its way. */
const jsonDepthMax = 4;

/** What looks like a key in a complaint, although we do not know it. */
const lookAlikes = [
  /\bBearer\s+[\w.~+/=-]{8,}/gi,
  /\b(?:sk|pk|rk|xai|gsk|ghp|gho|key)-[\w-]{8,}/gi,
  /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g,
];

/** Keys as their makers mark them: OpenAI and its like, GitHub, GitLab, Slack, AWS, Google, and others. */
const marked = new RegExp(
  [
    String.raw`\b(?:sk|xai)-[\w-]{20,}`,
    String.raw`\b(?:gh[pousr]|gsk|hf|npm|[srp]k_(?:live|test))_\w{16,}`,
    String.raw`\bgithub_pat_\w{20,}`,
    String.raw`\b(?:glpat|xox[abeprs])-[\w-]{16,}`,
    String.raw`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`,
    String.raw`\bAIza[\w-]{35}`,
    String.raw`\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*`,
    "-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)",
  ].join("|"),
  "g",
);

export class Secrets {
  private readonly values = new Set<string>();

  constructor(values: Iterable<string | undefined> = []) {
    for (const value of values) this.add(value);
  }

  add(value: string | undefined): void {
    if (value === undefined || value.length < secretCharsMin) return;
    this.values.add(value);
    this.values.add(encodeURIComponent(value.toWellFormed()));
    // Inside of JSON, and of JSON that is itself a text in JSON, as arguments of tools are.
    let escaped = value;
    for (let depth = 0; depth < jsonDepthMax; depth++) {
      escaped = JSON.stringify(escaped).slice(1, -1);
      this.values.add(escaped);
    }
  }

  hide(text: string): string {
    let shown = text;
    // Longer ones first: one may be part of another.
    for (const value of [...this.values].sort((a, b) => b.length - a.length))
      shown = shown.replaceAll(value, mask);
    return shown;
  }

  /** For complaints of others: what looks like a key goes as well. */
  hideInComplaint(text: string): string {
    return lookAlikes.reduce((shown, pattern) => shown.replace(pattern, mask), this.hide(text));
  }

  /** For what a person types: a key that its maker marked as one is hidden, there and from then on. */
  hideTyped(text: string): string {
    for (const [key] of text.matchAll(marked)) if (/\d/.test(key)) this.add(key);
    return this.hide(text);
  }

  /** In every string and every member name. The very value where there is nothing to hide. */
  hideIn<Value extends JsonValue | undefined>(value: Value): Value {
    if (this.values.size === 0) return value;
    return this.walk(value) as Value;
  }

  /** For text that arrives in pieces: holds back what may be the beginning of a secret. */
  stream(): SecretStream {
    let held = "";
    return {
      push: (delta) => {
        const text = this.hide(held + delta);
        const keep = this.begun(text);
        held = text.slice(text.length - keep);
        return text.slice(0, text.length - keep);
      },
      rest: () => {
        const text = held;
        held = "";
        return text;
      },
    };
  }

  /** How many characters at the end may be the beginning of a secret. */
  private begun(text: string): number {
    let most = 0;
    for (const value of this.values) {
      for (let length = Math.min(value.length - 1, text.length); length > most; length--) {
        if (text.endsWith(value.slice(0, length))) most = length;
      }
    }
    return most;
  }

  private walk(value: JsonValue | undefined): JsonValue | undefined {
    if (typeof value === "string") return this.hide(value);
    if (Array.isArray(value)) return value.map((item: JsonValue) => this.walk(item) ?? null);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [this.hide(key), this.walk(member)]),
    );
  }
}

export interface SecretStream {
  /** What can be shown so far. */
  push(delta: string): string;
  rest(): string;
}
