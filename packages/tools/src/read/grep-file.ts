/**
 * `grep_file`: the lines of a file, or of the files of a folder, that match a pattern.
 *
 * What a newcomer gets wrong: an answer that is not all says so. What was skipped
 * is counted by its reason, and a search that reached a bound says which.
 */
import { type AgentTool, parametersOf, type ToolReport } from "@bridle/agent";
import { Failure, mayHoldCredential, present } from "@bridle/record";
import * as Type from "typebox";
import type { Workspace, WorkspacePath } from "../types.js";
import { withNearest } from "../workspace/nearest.js";
import { readingIntent } from "./intent.js";
import { Pattern, patternCharsMax } from "./pattern.js";
import { linesOf, requireGoingOn } from "./text.js";
import { leftOut, printable, walk } from "./walk.js";

const matchesUsual = 100;
const matchesMax = 1_000;
const shownCharsMax = 300;
const lineCharsMax = 16 * 1024;
const filesMax = 20_000;
const bytesMax = 512 * 1024 * 1024;
/** Some seconds of work; a count and not a time, so that the same search always ends at the same place. */
const stepsMax = 40_000_000;

const members = {
  pattern: Type.String({
    minLength: 1,
    maxLength: patternCharsMax,
    description:
      "Regular expression, tried on each line: characters, classes, groups, |, *, +, ?, {m,n}, ^, $, \\b, \\d, " +
      "\\w, \\s, \\p{…}. No look-ahead, look-behind or references to groups.",
  }),
  path: Type.String({ description: "File or folder of the workspace; `.` is the workspace itself." }),
  ignore_case: Type.Optional(Type.Boolean()),
  fixed: Type.Optional(Type.Boolean({ description: "Take the pattern as plain text." })),
  max_matches: Type.Optional(
    Type.Integer({ minimum: 1, maximum: matchesMax, description: `${matchesUsual} when left out.` }),
  ),
};
type Args = Type.Static<Type.TObject<typeof members>>;

export function grepFileTool(workspace: Workspace): AgentTool {
  return {
    name: "grep_file",
    description:
      "Finds the lines that match a pattern, in a file or in all files below a folder, as file:line: text. " +
      `Binary files, links and ${[...leftOut].join(" and ")} are skipped.`,
    parameters: parametersOf(members),
    family: "files",
    capChars: 120_000,
    intent(args) {
      const { pattern, path, ignore_case = false, fixed = false, max_matches = matchesUsual } = args as Args;
      return readingIntent(workspace, {
        tool: "grep_file",
        path,
        part: [pattern, ignore_case, fixed, max_matches],
        says: (place) => `search ${place} for ${JSON.stringify(pattern)}`,
      });
    },
    async run(args, { signal }) {
      const {
        pattern,
        path: asked,
        ignore_case: ignoreCase,
        fixed,
        max_matches: max = matchesUsual,
      } = args as Args;
      const path = workspace.place(asked);
      const wanted = new Pattern(pattern, { ...present({ ignoreCase, fixed }), stepsMax });
      const search = new Search(workspace, wanted, { max, signal });
      try {
        const facts = path === "" ? { kind: "folder" } : await workspace.facts(path);
        if (facts?.kind === "folder") await search.folder(path);
        else await search.named(path);
      } catch (error) {
        throw await withNearest(workspace, path, error);
      }
      return search.report(path || ".");
    },
  };
}

type Skipped = "binary" | "links" | "credentials" | "unreadable";
const skippedSays: Record<Skipped, string> = {
  binary: "binary files",
  links: "links",
  credentials: "files with credentials",
  unreadable: "files that cannot be read",
};

class Search {
  private readonly lines: string[] = [];
  private readonly skipped = new Map<Skipped, number>();
  private readonly matched = new Set<string>();
  private files = 0;
  private bytes = 0;
  private longLines = 0;
  private stopped: string | undefined;

  constructor(
    private readonly workspace: Workspace,
    private readonly pattern: Pattern,
    private readonly options: { readonly max: number; readonly signal: AbortSignal },
  ) {}

  async folder(folder: WorkspacePath | ""): Promise<void> {
    for await (const { path, kind } of walk(this.workspace, folder)) {
      if (this.stopped !== undefined) return;
      if (kind === "link") this.skip("links");
      if (kind !== "file") continue;
      if (mayHoldCredential(path)) {
        this.skip("credentials");
        continue;
      }
      if (this.files >= filesMax) this.stop(`${filesMax} files`);
      else await this.ifReadable(path);
    }
  }

  private async ifReadable(path: WorkspacePath): Promise<void> {
    requireGoingOn(this.options.signal);
    try {
      await this.named(path);
    } catch (error) {
      if (!(error instanceof Failure) || error.failureClass === "aborted") throw error;
      const why = { file_not_text: "binary", path_link: "links", path_secret: "credentials" } as const;
      const { failureClass } = error;
      this.skip(failureClass in why ? why[failureClass as keyof typeof why] : "unreadable");
    }
  }

  async named(path: WorkspacePath): Promise<void> {
    const options = { encoding: undefined, lineCharsMax, strict: false, signal: this.options.signal };
    let number = 0;
    for await (const { text, cut } of linesOf(this.workspace, path, options)) {
      number += 1;
      this.bytes += text.length + cut + 1;
      if (cut > 0) this.longLines += 1;
      const line = text.endsWith("\r") ? text.slice(0, -1) : text;
      if (this.pattern.matches(line, { isCut: cut > 0 }) && !this.found(path, number, line)) break;
      if (this.pattern.isSpent) this.stop("as much work as one search may do");
      if (this.bytes > bytesMax) this.stop(`${bytesMax} characters`);
      if (this.stopped !== undefined) break;
    }
    this.files += 1;
  }

  private found(path: string, number: number, line: string): boolean {
    if (this.lines.length === this.options.max) {
      this.stop(`${this.options.max} matches`);
      return false;
    }
    const shown = line.length > shownCharsMax ? `${line.slice(0, shownCharsMax).toWellFormed()}…` : line;
    this.lines.push(`${printable(path)}:${number}: ${shown}`);
    this.matched.add(path);
    return true;
  }

  private skip(why: Skipped): void {
    this.skipped.set(why, (this.skipped.get(why) ?? 0) + 1);
  }

  private stop(at: string): void {
    this.stopped = at;
  }

  report(path: string): ToolReport {
    const matches = this.lines.length;
    const skipped = [...this.skipped].map(([why, count]) => `${count} ${skippedSays[why]}`);
    const notes = [
      matches === 0
        ? `no line matches; ${this.files} files searched`
        : `${matches} matches in ${this.matched.size} files`,
      ...(skipped.length === 0 ? [] : [`skipped: ${skipped.join(", ")}`]),
      ...(this.longLines === 0
        ? []
        : [`${this.longLines} lines searched only in their first ${lineCharsMax} characters`]),
      ...(this.stopped === undefined
        ? []
        : [`stopped after ${this.stopped}; narrow the path or the pattern`]),
    ];
    return {
      ok: true,
      text: [...this.lines, `[${notes.join("; ")}]`].join("\n"),
      facts: { path, matches, files: this.files, stopped: this.stopped ?? null },
    };
  }
}
