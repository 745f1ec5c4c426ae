/**
 * edit_file: changes within a file, all of them or none.
 *
 * What a newcomer gets wrong: the edit is made to the bytes that were read and is
 * committed only if they still stand there; when somebody else was quicker it is
 * made again to what is there now, and fails when it no longer fits.
 */
import { type AgentTool, type FilePreview, type Intent, parametersOf, type ToolReport } from "@bridle/agent";
import { canonicalJson, counted, Failure, type JsonObject, present, sha256Hex } from "@bridle/record";
import * as Type from "typebox";
import { utf8 } from "../read/text.js";
import type { Workspace, WorkspacePath } from "../types.js";
import { judgePath, type PathJudged } from "../workspace/judge-path.js";
import { attemptsMax, isClass } from "./commit.js";
import { applyHunks } from "./diff-apply.js";
import { parseDiff } from "./diff-parse.js";
import { asksAbout } from "./git-ignored.js";
import { previewOf } from "./line-diff.js";
import { applyReplacements, type Replacement } from "./replacements.js";
import { sensitivePath } from "./sensitive-path.js";
import { EditSink } from "./sink.js";
import type { WriteToolsOptions } from "./write-file.js";

const replacement = Type.Object(
  {
    search: Type.String({ minLength: 1, description: "Text that stands there, exactly, once." }),
    replace: Type.String(),
    all: Type.Optional(Type.Boolean({ description: "Replace every place." })),
    count: Type.Optional(
      Type.Integer({ minimum: 1, description: "How many places there must be; all are replaced." }),
    ),
  },
  { additionalProperties: false },
);
const members = {
  path: Type.String({ description: "Relative to the workspace." }),
  preview: Type.Optional(Type.Boolean({ description: "Show what would change, and change nothing." })),
  replacements: Type.Optional(
    Type.Array(replacement, {
      minItems: 1,
      description: "Applied in order, all or none. Not together with diff.",
    }),
  ),
  diff: Type.Optional(
    Type.String({
      description: "A unified diff of this file, with any number of hunks. Not together with replacements.",
    }),
  ),
};

interface Edited {
  readonly text: string;
  readonly facts: JsonObject;
  readonly says: string;
}

export function editFileTool(options: WriteToolsOptions): AgentTool {
  const { workspace, staging } = options;
  return {
    name: "edit_file",
    description:
      "Change parts of a text file: replacements of exact text that stands there once, or a unified diff. " +
      "Nothing is changed unless everything fits.",
    parameters: parametersOf(members),
    family: "files",
    intent: (args) => intentOf(args, judgePath(workspace, String(args["path"]))),
    asks: async (args) => (args["preview"] === true ? undefined : asksAbout(options, args)),
    async run(args, run) {
      run.signal.throwIfAborted();
      const same = sameSides(args);
      if (same !== undefined) return same;
      const edit = editOf(args);
      const path = workspace.place(String(args["path"]));
      if (args["preview"] === true) return preview(workspace, path, edit);
      const report = await change(workspace, path, edit);
      await staging.drop(path);
      return report;
    },
    preview: (args) => previewEdit(workspace, args),
    stream: () => new EditSink(),
  };
}

function intentOf(args: JsonObject, { shown, forbidden }: PathJudged): Intent {
  const isPreview = args["preview"] === true;
  const { path: _path, ...rest } = args;
  const runs = sensitivePath(shown);
  return {
    key: `edit_file ${shown} ${sha256Hex(canonicalJson(rest))}`,
    repeat: "run",
    risk: isPreview ? "safe" : runs === undefined ? "cautious" : "destructive",
    says: isPreview ? `Preview an edit of ${shown}` : `Edit ${shown}${runs === undefined ? "" : `; ${runs}`}`,
    ...(isPreview ? { reads: [shown] } : { reads: [shown], changes: [shown] }),
    ...present({ forbidden }),
  };
}

// --- What is asked ---------------------------------------------------------------------------------

type Edit = (text: string, path: string) => Edited;

function editOf(args: JsonObject): Edit {
  const { replacements, diff } = args;
  if ((replacements === undefined) === (diff === undefined)) {
    throw new Failure("edit_invalid", {
      message: `edit_file takes replacements or a diff, and got ${diff === undefined ? "neither" : "both"}; nothing was changed`,
      hint: "Give exactly one of them.",
    });
  }
  if (typeof diff === "string") {
    const hunks = parseDiff(diff);
    return (text, path) => ({
      text: applyHunks(text, hunks, path),
      facts: { hunks: hunks.length },
      says: counted(hunks.length, "hunk", "hunks"),
    });
  }
  const list = replacements as unknown as readonly Replacement[];
  return (text, path) => {
    const replaced = applyReplacements(text, list, path);
    return {
      text: replaced.text,
      facts: { replacements: replaced.places },
      says: counted(replaced.places, "place", "places"),
    };
  };
}

function sameSides(args: JsonObject): ToolReport | undefined {
  const list = (args["replacements"] ?? []) as unknown as readonly Replacement[];
  const at = list.findIndex(({ search, replace }) => search === replace);
  if (at < 0) return undefined;
  const message = `replacement ${at + 1} of ${list.length} has the same text on both sides; nothing was changed`;
  const remedy = "Look at the line that the error names, and say in replace what is to stand there instead.";
  return {
    ok: false,
    text: `${message}\n${remedy}`,
    facts: { path: String(args["path"]) },
    refusal: { code: "edit_invalid", rule: "R-SYNTAX-COLUMN", message, remedy },
  };
}

// --- Carrying it out -------------------------------------------------------------------------------

async function preview(workspace: Workspace, path: WorkspacePath, edit: Edit): Promise<ToolReport> {
  const before = textOf(await workspace.read(path), path);
  const edited = edit(before, path);
  return {
    ok: true,
    text: `Would change ${path} (${edited.says}); nothing was changed\n${previewOf(before, edited.text, { path })}`,
    facts: {
      path,
      bytes: Buffer.byteLength(before),
      sha256: sha256Hex(before),
      preview: true,
      ...edited.facts,
    },
  };
}

async function previewEdit(workspace: Workspace, args: JsonObject): Promise<FilePreview | undefined> {
  try {
    const path = workspace.place(String(args["path"]));
    const before = textOf(await workspace.read(path), path);
    return { path, before, after: editOf(args)(before, path).text };
  } catch {
    // The call will be refused with a reason.
    return undefined;
  }
}

async function change(workspace: Workspace, path: WorkspacePath, edit: Edit): Promise<ToolReport> {
  for (let attempt = 1; ; attempt++) {
    const bytes = await workspace.read(path);
    const before = textOf(bytes, path);
    const edited = edit(before, path);
    try {
      const committed = await workspace.commit({
        path,
        content: Buffer.from(edited.text),
        expected: { is: "content", sha256: sha256Hex(bytes) },
      });
      return {
        ok: true,
        text: `Edited ${path} (${edited.says}, ${committed.bytes} bytes)\n${previewOf(before, edited.text, { path })}`,
        facts: {
          path,
          bytes: committed.bytes,
          sha256: committed.sha256,
          ...edited.facts,
          ...present({ before: committed.before }),
        },
      };
    } catch (error) {
      if (!isClass(error, "file_changed") || attempt === attemptsMax) throw error;
    }
  }
}

/** Bytes that are no UTF-8 would not survive the edit. */
function textOf(bytes: Uint8Array, path: WorkspacePath): string {
  return utf8(path, bytes, "Nothing was changed. Change it with a program that knows its format.");
}
