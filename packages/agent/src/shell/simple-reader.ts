/**
 * Simple commands: assignments, words and redirections.
 */
import { RedirectReader } from "./redirect-reader.js";
import type { Assignment, Redirect, SimpleCommand, Word } from "./syntax.js";

const assignmentAt = /([A-Za-z_][A-Za-z0-9_]*)(\+?)=/y;

export abstract class SimpleReader extends RedirectReader {
  /** Past blanks, ends of lines, and the bodies of here-documents. */
  protected newlines(): void {
    this.blanks();
    while (this.peek("\n")) {
      this.at += 1;
      this.bodies();
      this.blanks();
    }
  }

  protected simple(): SimpleCommand {
    const assignments: Assignment[] = [];
    const words: Word[] = [];
    const redirects: Redirect[] = [];
    for (;;) {
      this.blanks();
      const redirect = this.redirect();
      if (redirect !== undefined) {
        redirects.push(redirect);
        continue;
      }
      const assignment = words.length === 0 ? this.assignment() : undefined;
      if (assignment !== undefined) {
        assignments.push(assignment);
        continue;
      }
      const word = this.word();
      if (word === undefined) break;
      words.push(word);
    }
    if (assignments.length + words.length + redirects.length === 0) this.doubt("a command is missing");
    return { kind: "simple", assignments, words, redirects };
  }

  private assignment(): Assignment | undefined {
    assignmentAt.lastIndex = this.at;
    const found = assignmentAt.exec(this.text);
    if (found === null) {
      if (this.match(/[A-Za-z_][A-Za-z0-9_]*\[/y) !== undefined) this.doubt("it has a subscript");
      return undefined;
    }
    this.at += found[0].length;
    const shape = { name: found[1] ?? "", append: found[2] === "+" };
    if (this.peek("(")) return { ...shape, values: this.array() };
    return { ...shape, values: [this.word() ?? { parts: [{ kind: "text", text: "" }] }] };
  }

  private array(): Word[] {
    this.bashOnly = true;
    this.at += 1;
    const values: Word[] = [];
    for (;;) {
      this.newlines();
      if (this.peek(")")) {
        this.at += 1;
        return values;
      }
      if (this.peek("[")) this.doubt("it has a subscript");
      const value = this.word();
      if (value === undefined) {
        this.doubt("an array is not closed");
        return values;
      }
      values.push(value);
    }
  }
}
