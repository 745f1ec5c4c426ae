/**
 * Redirections and here-documents.
 *
 * What a newcomer gets wrong: the body of a here-document begins at the next
 * newline that ends a line of commands, however deep in the grammar that is, so
 * those that wait are shared by every level of one text. Where a newline within
 * a word comes first, bash versions disagree, and the command is unknown.
 */
import type { Redirect, Word } from "./syntax.js";
import { textOf } from "./syntax.js";
import { WordReader } from "./word-reader.js";

interface Pending {
  readonly delimiter: string;
  readonly literal: boolean;
  readonly stripTabs: boolean;
  /** Called when its body was read. */
  fill(body: Word): void;
}

const redirectAt = /&>>|&>|<<<|<<-|<<|<>|<&|>>|>\||>&|<|>/y;

export abstract class RedirectReader extends WordReader {
  protected pending: Pending[] = [];

  /** The body of a here-document with what bash expands in it. */
  protected abstract expanded(body: string): Word;

  protected override word(): Word | undefined {
    const start = this.at;
    const word = super.word();
    if (this.pending.length > 0 && this.text.slice(start, this.at).includes("\n")) {
      this.doubt("a word goes on where a here-document should begin");
    }
    return word;
  }

  /** Undefined where no redirection begins. */
  protected redirect(): Redirect | undefined {
    const digits = this.match(/[0-9]+(?=[<>])/y) ?? "";
    redirectAt.lastIndex = this.at + digits.length;
    const operator = redirectAt.exec(this.text)?.[0];
    const next = this.text[this.at + digits.length + 1];
    if (operator === undefined || (operator.length === 1 && next === "(")) return undefined;
    if (digits.length > 3) this.doubt("it has a handle that is too high");
    this.at += digits.length + operator.length;
    const handle = digits === "" ? {} : { handle: Number(digits) };
    if (operator.startsWith("&>") || operator === "<<<") this.bashOnly = true;
    this.blanks();
    if (operator === "<<" || operator === "<<-") return this.hereDocument(operator === "<<-", handle);
    if (this.match(/[0-9]+[<>]/y) !== undefined) this.doubt("a redirection has no target");
    const target = this.wordOr("a redirection has no target");
    return { operator: operator as Redirect["operator"], ...handle, target };
  }

  private hereDocument(stripTabs: boolean, handle: { handle?: number }): Redirect {
    const start = this.at;
    const known = textOf(this.wordOr("a here-document has no delimiter"));
    const raw = this.text.slice(start, this.at);
    if (known === undefined || known === "" || raw.includes("$") || known.includes("\n")) {
      this.doubt("a here-document has an unusual delimiter");
    }
    const delimiter = known ?? raw;
    const redirect: { -readonly [Key in keyof Redirect]: Redirect[Key] } = {
      operator: "<<",
      ...handle,
      target: { parts: [] },
    };
    const fill = (body: Word) => {
      redirect.target = body;
    };
    this.pending.push({ delimiter, literal: /["'\\]/.test(raw), stripTabs, fill });
    return redirect;
  }

  /** What waits is read from here, the beginning of a line. */
  protected bodies(): void {
    for (const { delimiter, literal, stripTabs, fill } of this.pending.splice(0)) {
      const body = this.bodyUpTo(delimiter, stripTabs);
      fill(literal ? { parts: [{ kind: "text", text: body }] } : this.expanded(body));
    }
  }

  private bodyUpTo(delimiter: string, stripTabs: boolean): string {
    let body = "";
    while (this.at < this.text.length) {
      const newline = this.text.indexOf("\n", this.at);
      const end = newline < 0 ? this.text.length : newline;
      const raw = this.text.slice(this.at, end);
      const line = stripTabs ? raw.replace(/^\t+/, "") : raw;
      this.at = Math.min(end + 1, this.text.length);
      if (line === delimiter) return body;
      body += `${line}\n`;
    }
    this.doubt("a here-document does not end");
    return body;
  }
}
