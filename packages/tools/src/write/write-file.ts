/**
 * write_file: a whole file, or something at its end.
 *
 * What a newcomer gets wrong: with `append` the model may be finishing a call of
 * its own that was cut off. Then what is kept of that call and what came now are
 * one text, written once, in the mode of the first call; an append would make a
 * file of the rest alone.
 */
import {
  type AgentTool,
  type FilePreview,
  type Intent,
  leftOpen,
  markupKindOf,
  markupState,
  oneOf,
  parametersOf,
  type ToolReport,
} from "@bridle/agent";
import { Failure, type JsonObject, present, sha256Hex } from "@bridle/record";
import * as Type from "typebox";
import { type AskAbout, asksAbout } from "./git-ignored.js";
import { utf8 } from "../read/text.js";
import type { Workspace, WorkspacePath } from "../types.js";
import { judgePath, type PathJudged } from "../workspace/judge-path.js";
import { commitWrite, linesOf, separator, type Write, type Written } from "./commit.js";
import { joinContinuation, repeatedChars } from "./continuation.js";
import { looksCut } from "./looks-cut.js";
import { isWriteMode, type WriteMode, writeModes } from "./modes.js";
import { sensitivePath } from "./sensitive-path.js";
import { WriteSink } from "./sink.js";
import type { CutPart } from "./cut-part.js";
import type { Staging } from "./staging.js";

export interface WriteToolsOptions {
  readonly workspace: Workspace;
  readonly staging: Staging;
  /** Whether a write to a path must be asked for although the tool is approved; none need it when left out. */
  readonly askAbout?: AskAbout;
}

/** The content stands last: where a call is cut off, the rest of it is known. */
const members = {
  path: Type.String({ description: "Relative to the workspace." }),
  mode: Type.Optional(
    oneOf(writeModes, {
      default: "create",
      description:
        "create makes a new file and refuses one that is there; append adds to the end; overwrite replaces everything.",
    }),
  ),
  confirm_overwrite: Type.Optional(
    Type.Boolean({ description: "Must be true to overwrite a file of more than a few lines." }),
  ),
  expected_lines: Type.Optional(
    Type.Integer({ minimum: 0, description: "Lines that the file should have afterwards." }),
  ),
  content: Type.String({ description: "The text, exactly as it is to stand in the file." }),
};

export function writeFileTool(options: WriteToolsOptions): AgentTool {
  const { workspace, staging } = options;
  return {
    name: "write_file",
    description:
      "Write a text file whole or not at all. To change a part of a file use edit_file. " +
      "When a call was cut off and you are asked to continue, send only what comes after the tail, with mode append.",
    parameters: parametersOf(members),
    family: "files",
    intent(args) {
      const judged = judgePath(workspace, String(args["path"]));
      const part = judged.path === undefined ? undefined : staging.find(judged.path);
      return intentOf(argsOf(args), judged, part);
    },
    asks: (args) => asksAbout(options, args),
    async run(args, run) {
      run.signal.throwIfAborted();
      return write(options, argsOf(args));
    },
    preview: (args) => previewWrite(options, argsOf(args)),
    looksCut: ({ path, content }) => looksCut(String(content), String(path)) !== undefined,
    stream: (callId) => new WriteSink({ callId, workspace, staging }),
  };
}

function argsOf(args: JsonObject) {
  const { path, content, mode, ...given } = args as Type.Static<Type.TObject<typeof members>>;
  return {
    ...{ path, content, mode: isWriteMode(mode) ? mode : ("create" as const) },
    confirmed: given.confirm_overwrite === true,
    expectedLines: given.expected_lines,
  };
}
type WriteArgs = ReturnType<typeof argsOf>;

/** `says` names what is kept of a cut call: whoever says yes to the rest says yes to the whole. */
function intentOf(args: WriteArgs, judged: PathJudged, part: CutPart | undefined): Intent {
  const size = `${Buffer.byteLength(args.content)} bytes`;
  const doing = {
    create: `Create ${judged.shown}`,
    overwrite: `Replace ${judged.shown}`,
    append: `Append to ${judged.shown}`,
  };
  const finishing = part !== undefined && args.mode === "append";
  const runs = sensitivePath(judged.shown);
  const why = runs === undefined ? "" : `; ${runs}`;
  return {
    key: `write_file ${judged.shown} ${args.mode} ${sha256Hex(args.content)}`,
    repeat: "run",
    risk: runs === undefined ? "cautious" : "destructive",
    says: finishing
      ? `${doing[part.mode ?? "create"]}: ${part.bytes} bytes kept from a call that was cut off, and ${size} more${why}`
      : `${doing[args.mode]} (${size})${why}`,
    changes: [judged.shown],
    ...present({ forbidden: judged.forbidden }),
  };
}

// --- Carrying it out -------------------------------------------------------------------------------

interface Planned extends Write {
  /** Bytes that were kept of the call that this one finishes. */
  readonly kept?: number;
}

async function write({ workspace, staging }: WriteToolsOptions, args: WriteArgs): Promise<ToolReport> {
  const path = workspace.place(args.path);
  const planned = await plan({ workspace, staging }, path, args);
  const unclosed = await closedArtifactRefusal(workspace, planned);
  if (unclosed !== undefined) return unclosed;
  const written = await commitWrite(workspace, planned);
  await staging.drop(path);
  return report(written, planned, args.expectedLines);
}

async function plan(
  { workspace, staging }: WriteToolsOptions,
  path: WorkspacePath,
  args: WriteArgs,
): Promise<Planned> {
  const asIs: Planned = { path, mode: args.mode, text: args.content, confirmed: args.confirmed };
  const part = staging.find(path);
  if (part === undefined) {
    await requireBeginning({ workspace, staging }, asIs);
    return asIs;
  }
  const before = await staging.read(part);
  if (before === undefined) {
    if (args.mode !== "append") return asIs;
    await staging.lose(path);
    throw lost(path);
  }
  const continues = args.mode === "append" || (repeatedChars(before, args.content) ?? 0) > 0;
  if (!continues) return asIs;
  const existing = (await workspace.facts(path)) === undefined ? undefined : await workspace.read(path);
  if (existing !== undefined && isThereAlready(existing, before, part.mode)) {
    await staging.drop(path);
    return asIs;
  }
  const joined = joinContinuation(before, args.content);
  if (joined === undefined) throw unclear(path);
  return {
    path,
    mode: await firstMode(staging, part, { mode: args.mode, exists: existing !== undefined }),
    text: joined.text,
    confirmed: part.confirmed || args.confirmed,
    kept: part.bytes,
  };
}

/** The rest of a call whose beginning is gone must not become a file of its own. */
async function requireBeginning({ workspace, staging }: WriteToolsOptions, write: Write): Promise<void> {
  if (write.mode !== "append" || !staging.isLost(write.path)) return;
  if ((await workspace.facts(write.path)) === undefined) throw lost(write.path);
}

/** The whole was written, but the process died before what was kept could be dropped. */
function isThereAlready(existing: Uint8Array, before: string, mode: WriteMode | undefined): boolean {
  const found = Buffer.from(existing).indexOf(Buffer.from(before));
  return mode === "append" ? found >= 0 : found === 0;
}

async function firstMode(
  staging: Staging,
  part: CutPart,
  { mode, exists }: { readonly mode: WriteMode; readonly exists: boolean },
): Promise<WriteMode> {
  // What cannot be written any more would stand in the way of every later call.
  if (exists && part.mode === "create") await staging.drop(part.path);
  if (part.mode !== undefined) return part.mode;
  if (mode !== "append") return mode;
  if (!exists) return "create";
  await staging.drop(part.path);
  throw new Failure("write_mode_lost", {
    message: `${part.path} is there already, and the call that was cut off had not yet said whether to replace it or to append; nothing was written and nothing is kept`,
    hint: "Make the call again from the beginning, with mode before content: append, or overwrite with confirm_overwrite: true; or change it with edit_file.",
  });
}

function unclear(path: WorkspacePath): Failure {
  return new Failure("write_continuation_unclear", {
    message: `the text of ${path} repeats itself where the call was cut off, so it cannot be told how much of what was kept is sent again; nothing was written`,
    hint: "Make the call again with the whole content and the mode of the first call; if that is too long for one call, write the file in two calls that are whole, the second with mode: append.",
  });
}

function lost(path: WorkspacePath): Failure {
  return new Failure("write_continuation_lost", {
    message: `${path} is not there, and the beginning of the call that was cut off is not kept; nothing was written`,
    hint: "Make the call again with the whole content and mode: create.",
  });
}

/** As `plan`, but nothing that is kept is dropped. */
async function previewWrite(
  { workspace, staging }: WriteToolsOptions,
  args: WriteArgs,
): Promise<FilePreview | undefined> {
  try {
    const path = workspace.place(args.path);
    const there = (await workspace.facts(path)) === undefined ? undefined : await workspace.read(path);
    const before = there === undefined ? undefined : utf8(path, there, "");
    const part = staging.find(path);
    const kept = part === undefined ? undefined : await staging.read(part);
    const continues =
      kept !== undefined && (args.mode === "append" || (repeatedChars(kept, args.content) ?? 0) > 0);
    const text = continues ? joinContinuation(kept, args.content)?.text : args.content;
    if (text === undefined) return undefined;
    const mode = continues ? (part?.mode ?? "create") : args.mode;
    // It is refused.
    if (mode === "create" && there !== undefined) return undefined;
    const appended = mode === "append" && there !== undefined;
    const after = appended ? `${before}${separator(there, text)}${text}` : text;
    return { path, after, ...present({ before }) };
  } catch {
    // It is no text, or the call will be refused with a reason.
    return undefined;
  }
}

// --- What is told ----------------------------------------------------------------------------------

/** R-CLOSED-ARTIFACT is about the first write of a file: later ones may pass through open states. */
async function closedArtifactRefusal(
  workspace: Workspace,
  planned: Planned,
): Promise<ToolReport | undefined> {
  const kind = markupKindOf(planned.path);
  if (kind === undefined || planned.text.trim() === "") return undefined;
  if (planned.mode === "append" && (await workspace.facts(planned.path)) !== undefined) return undefined;
  const open = leftOpen(markupState(planned.text, kind));
  if (open === undefined) return undefined;
  const kept = planned.kept === undefined ? "" : " What was kept of the call before is still kept.";
  const message = `${planned.path} would be left open: ${open}. Nothing was written.${kept}`;
  const remedy =
    planned.kept === undefined
      ? "Write a closed skeleton first and fill it with edit_file, or write the document to its end."
      : "Send the rest again with mode: append, to the end of the document.";
  return {
    ok: false,
    text: `${message}\n${remedy}`,
    facts: { path: planned.path },
    refusal: { code: "artifact_open", rule: "R-CLOSED-ARTIFACT", message, remedy },
  };
}

function report(written: Written, planned: Planned, expectedLines: number | undefined): ToolReport {
  const text = Buffer.from(written.content).toString();
  const lines = linesOf(written.content);
  const integrity = written.sha256 === sha256Hex(written.content) ? "ok" : "mismatch";
  const likelyTruncated = looksCut(text, written.path) !== undefined;
  const sha256 = written.sha256.slice(0, 16);
  const added = Buffer.byteLength(planned.text);
  const size = written.verb === "Appended to" ? `${added} bytes added` : `${written.bytes} bytes`;
  const kept =
    planned.kept === undefined ? "" : `, of which ${planned.kept} were kept from the call that was cut off`;
  const wrongLines = expectedLines !== undefined && expectedLines !== lines;
  return {
    ok: integrity === "ok",
    text:
      `${written.verb} ${written.path} (${size}${kept})\n` +
      `integrity=${integrity} lines=${lines} bytes=${written.bytes} sha256=${sha256}` +
      (likelyTruncated ? " likely_truncated=true" : "") +
      (wrongLines ? `\nexpected_lines=${expectedLines}, but the file has ${lines}` : ""),
    facts: {
      path: written.path,
      bytes: written.bytes,
      lines,
      sha256: written.sha256,
      likelyTruncated,
      integrity,
      ...present({ before: written.before }),
    },
  };
}
