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
} from "@bridle/record";
import * as Type from "typebox";
import { toBeads } from "../interchange/beads.js";
import { issuesInput, withMemory } from "./issues.js";
import type { Place } from "./place.js";
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
  effect: "mutate",
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
      to: Type.String({
        minLength: 1,
        "x-placeholder": "file",
        description: "The file to write; - prints the rows instead.",
      }),
      ...issuesInput,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("issue.export"),
    issuesPath: Type.String(),
    format: Type.Enum([...formats]),
    to: Type.String(),
    count: Type.Integer(),
  }),
  async run(input, call) {
    const { format, to } = input;
    if (to === "-" && call.emit === undefined) {
      return refuse("input_invalid", {
        message: "rows can be printed on the command line only",
        hint: "Name a file with `to`.",
      });
    }
    return withMemory(input, call, async (memory, place) => {
      const nodes = (await memory.graph()).sorted();
      if (!memory.exists) return missing(place);
      const [damage] = memory.damage;
      if (damage !== undefined) {
        return refuse("log_damaged", {
          message: `${describeDamage(place.shown, damage)}; an export of it would not be complete`,
          hint: `Mend it with \`bridle log repair ${place.shown}\`.`,
          detail: { line: damage.line, byte: damage.byte },
        });
      }
      if (memory.rowsWithoutId > 0) {
        call.warn(
          `${counted(memory.rowsWithoutId, "row", "rows")} without an id ${memory.rowsWithoutId === 1 ? "is" : "are"} no issue and not exported.`,
        );
      }
      const lines = nodes.map(({ text }) => (format === "beads" ? toBeads(text) : text));
      if (to === "-") {
        for (const line of lines) await call.emit?.(JSON.parse(line) as JsonObject, line);
      } else {
        const path = resolve(call.cwd, to);
        if (await isSameFile(path, place.path, call.ports)) return ontoMemory(to);
        await putFile(path, Buffer.from(lines.map((line) => `${line}\n`).join("")), call.ports);
      }
      return { action: "issue.export" as const, issuesPath: place.shown, format, to, count: lines.length };
    });
  },
  present: ({ count, to, format }, paint) =>
    `  ${paint.good(counted(count, "issue", "issues"))} written to ${to} ${paint.dim(format)}`,
});

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

function missing({ shown }: Place): Refusal {
  return refuse("issue_memory_missing", {
    message: `there is no issue memory at ${shown}`,
    hint: "Make the first issue with `premath issue add <title>`, or name the file with --issues.",
  });
}
