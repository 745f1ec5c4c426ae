/** `premath issue export`: the issues as a file that another program reads. */
import { resolve } from "node:path";
import { defineOperation } from "@bridle/operation";
import {
  codeOf,
  describeDamage,
  type JsonObject,
  type Ports,
  putFile,
  refuse,
  type Refusal,
  grouped,
} from "@bridle/record";
import * as Type from "typebox";
import { toBeads } from "../interchange/beads.js";
import { workLimits } from "../limits.js";
import { unmergedFailure } from "../store/issue-refusals.js";
import { issuesInput, withMemory } from "../calls/issues.js";
import type { LocatedFile } from "../calls/place.js";
import { counted } from "./text-layout.js";

const formats = ["beads", "jsonl"] as const;

export const issueExport = defineOperation({
  names: {
    id: "op/issue.export",
    action: "issue.export",
    command: ["issue", "export"],
    tool: "issue_export",
  },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Write the issues to a file, one a line, sorted by id.",
  description:
    "beads: what an import translated is put back to the byte, unless it was changed since; our own members (fence, " +
    "lease, claims, aliases) stay in the rows, where beads ignores them. jsonl: the rows as they stand. The file is " +
    "written whole or not at all, and the same issues give the same bytes.",
  examples: [
    {
      command: "premath issue export --format beads --to .beads/issues.jsonl",
      says: "gives beads its file back",
    },
    { command: "premath issue export --format jsonl --to -", says: "prints every issue, one a line" },
  ],
  input: Type.Object(
    {
      format: Type.Enum([...formats], { description: "How the rows are written." }),
      to: Type.Optional(
        Type.String({
          minLength: 1,
          "x-placeholder": "file",
          "x-path": true,
          "x-cli-only": true,
          description: "The file to write; the rows are printed when it is left out or -.",
        }),
      ),
      ...issuesInput,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("issue.export"),
    issuesPath: Type.String(),
    format: Type.Enum([...formats]),
    to: Type.Union([Type.String(), Type.Null()], {
      description: "The file; null where the rows are the answer.",
    }),
    count: Type.Integer(),
    content: Type.Optional(Type.String({ description: "The rows, where nothing can be printed." })),
  }),
  async run(input, call) {
    const { format } = input;
    const to = input.to === "-" ? undefined : input.to;
    return withMemory(input, call, async (memory, place) => {
      const graph = await memory.graph();
      if (graph === undefined) return missing(place);
      const nodes = graph.sorted();
      const sides = await memory.file?.twoSides();
      if (sides !== undefined)
        throw unmergedFailure(place.shown, sides, "an export of it would not be complete");
      const [damage] = memory.file?.damage ?? [];
      if (damage !== undefined) {
        return refuse("log_damaged", {
          message: `${describeDamage(place.shown, damage)}; an export of it would not be complete`,
          hint: `Mend it with \`bridle log repair ${place.shown}\`.`,
          detail: { line: damage.line, byte: damage.byte },
        });
      }
      const { rowsWithoutId = 0 } = memory.file ?? {};
      if (rowsWithoutId > 0) {
        call.warn(
          `${counted(rowsWithoutId, "row", "rows")} without an id ${rowsWithoutId === 1 ? "is" : "are"} no issue and not exported.`,
        );
      }
      const lines = nodes.map(({ text }) => (format === "beads" ? toBeads(text) : text));
      const answer = {
        action: "issue.export" as const,
        issuesPath: place.shown,
        format,
        count: lines.length,
      };
      if (to === undefined && call.emit === undefined) return withContent({ ...answer, to: null }, lines);
      if (to === undefined) {
        for (const line of lines) await call.emit?.(JSON.parse(line) as JsonObject, line);
        return { ...answer, to: null };
      }
      const path = resolve(call.cwd, to);
      if (await isSameFile(path, place.path, call.ports)) return ontoMemory(to);
      await putFile(path, Buffer.from(textOf(lines)), call.ports);
      return { ...answer, to };
    });
  },
  present: ({ count, to, format }, paint) =>
    `  ${paint.good(counted(count, "issue", "issues"))} written to ${to ?? "the answer"} ${paint.dim(format)}`,
});

const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");

function withContent<Answer>(
  answer: Answer,
  lines: readonly string[],
): (Answer & { readonly content: string }) | Refusal {
  const content = textOf(lines);
  const { exportAnswerBytesMax } = workLimits;
  if (Buffer.byteLength(content) <= exportAnswerBytesMax) return { ...answer, content };
  return refuse("issue_memory_too_large", {
    message: `the rows have more than ${grouped(exportAnswerBytesMax)} bytes, which is too much for an answer`,
    hint: "Export them on the command line: `premath issue export --format jsonl --to <file>`.",
  });
}

/** By its path, through links, and under another name of the same file. */
async function isSameFile(one: string, other: string, { files }: Ports): Promise<boolean> {
  const real = async (path: string) => {
    try {
      return await files.realPath(path);
    } catch (error) {
      if (codeOf(error) === "ENOENT") return path;
      throw error;
    }
  };
  const [left, right] = [await files.stat(one), await files.stat(other)];
  if (left !== undefined && left.inode === right?.inode && left.size === right.size) return true;
  return (await real(one)) === (await real(other));
}

function ontoMemory(to: string): Refusal {
  return refuse("issue_export_onto_memory", {
    message: `${to} is the issue memory that is exported`,
    hint: "Name another file; `premath issue compact` tidies issue memory itself.",
  });
}

function missing({ shown }: LocatedFile): Refusal {
  return refuse("issue_memory_missing", {
    message: `there is no issue memory at ${shown}`,
    hint: "Make the first issue with `premath issue add <title>`, or name the file with --issues.",
  });
}
