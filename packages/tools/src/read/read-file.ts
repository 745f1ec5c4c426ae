/**
 * `read_file`: text by lines.
 *
 * What a newcomer gets wrong: what is shown is always bounded, and what is left
 * out is always said, with the offset to go on at; so a model never takes the
 * beginning of a file for the file.
 */
import { type AgentTool, parametersOf, type ToolReport } from "@bridle/agent";
import { Failure } from "@bridle/record";
import * as Type from "typebox";
import type { Workspace, WorkspacePath } from "../types.js";
import { withNearest } from "../workspace/nearest.js";
import { readingIntent } from "./intent.js";
import { encodings, type Line, linesOf } from "./text.js";

const linesUsual = 2_000;
const charsMax = 40_000;
const lineCharsMax = 4_000;
/** How far lines are counted behind what is shown. */
const countedLinesMax = 5_000_000;

const members = {
  path: Type.String({ description: "File of the workspace." }),
  offset: Type.Optional(Type.Integer({ minimum: 1, description: "First line, counted from 1." })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, description: `Lines to read; ${linesUsual} when left out.` }),
  ),
  line_numbers: Type.Optional(Type.Boolean({ description: "Put its number before each line." })),
  encoding: Type.Optional(
    Type.Enum([...encodings], { description: "UTF-8, or what the file's mark says, when left out." }),
  ),
};
type Args = Type.Static<Type.TObject<typeof members>>;

export function readFileTool(workspace: Workspace): AgentTool {
  return {
    name: "read_file",
    description:
      "Reads a text file of the workspace by lines. Long files come in parts: the end of the answer says how " +
      "many lines remain and the offset to go on at. Binary files and symbolic links are refused.",
    parameters: parametersOf(members),
    family: "files",
    capChars: charsMax + 10_000,
    intent(args) {
      const { path, offset = 1, limit = linesUsual, line_numbers = false, encoding = "" } = args as Args;
      return readingIntent(workspace, {
        tool: "read_file",
        path,
        part: [offset, limit, line_numbers, encoding],
        says: (place) => `read ${place}${offset === 1 ? "" : ` from line ${offset}`}`,
      });
    },
    async run(args, { signal }) {
      const asked = args as Args;
      const path = workspace.place(asked.path);
      try {
        return await readLines(workspace, path, asked, signal);
      } catch (error) {
        throw await withNearest(workspace, path, error);
      }
    },
  };
}

async function readLines(
  workspace: Workspace,
  path: WorkspacePath,
  { offset = 1, limit = linesUsual, line_numbers = false, encoding }: Args,
  signal: AbortSignal,
): Promise<ToolReport> {
  const page = new Page(offset, limit, line_numbers);
  const lines = linesOf(workspace, path, { encoding, lineCharsMax, strict: true, signal });
  let next = await lines.next();
  while (next.done !== true && page.seen < countedLinesMax) {
    page.take(next.value);
    next = await lines.next();
  }
  const end = next.done === true ? next.value : undefined;
  if (end === undefined) await lines.return({ bytes: 0, sha256: "" });
  if (page.seen < offset && !(page.seen === 0 && offset === 1)) {
    throw new Failure("input_invalid", {
      message: `${path} has ${page.seen} lines; line ${offset} is behind its end`,
      hint: `Use an offset of at most ${page.seen}.`,
    });
  }
  return {
    ok: true,
    text: page.text(end !== undefined),
    facts: {
      path,
      from: offset,
      to: page.last,
      lines: page.seen,
      whole: end !== undefined && offset === 1 && page.last === page.seen && !page.hasCutLine,
      ...(end === undefined ? {} : { bytes: end.bytes, sha256: end.sha256 }),
    },
  };
}

class Page {
  seen = 0;
  last: number;
  hasCutLine = false;
  private readonly shown: string[] = [];
  private chars = 0;
  private isFull = false;
  private hasCarriageReturns = false;

  constructor(
    private readonly offset: number,
    private readonly limit: number,
    private readonly numbered: boolean,
  ) {
    this.last = offset - 1;
  }

  take({ text, cut }: Line): void {
    this.seen += 1;
    if (this.seen < this.offset || this.isFull) return;
    const note = cut === 0 ? "" : ` [… ${cut} more characters of this line; read_file_chunked shows them]`;
    const line = `${this.numbered ? `${String(this.seen).padStart(7)}|` : ""}${text}${note}`;
    this.isFull = this.shown.length > 0 && this.chars + line.length > charsMax;
    if (this.isFull) return;
    this.shown.push(line);
    this.last = this.seen;
    this.chars += line.length + 1;
    this.hasCutLine ||= cut > 0;
    this.hasCarriageReturns ||= text.endsWith("\r");
    this.isFull = this.shown.length >= this.limit;
  }

  text(isCounted: boolean): string {
    if (this.seen === 0) return "[the file is empty]";
    const remaining = this.seen - this.last;
    const notes = [
      remaining === 0
        ? ""
        : `[${isCounted ? "" : "more than "}${remaining} ${remaining === 1 ? "line remains" : "lines remain"}; go on with offset=${this.last + 1}]`,
      this.hasCarriageReturns ? "[lines end with CRLF]" : "",
    ];
    return [...this.shown, ...notes.filter((note) => note !== "")].join("\n");
  }
}
