/**
 * `read_file_chunked`: any text, also one without lines, in parts of about equal size.
 *
 * What a newcomer gets wrong: where a part ends is worked out from the bytes
 * around that place alone, so part 900 of a huge file costs as much as part 1,
 * and the parts put together are the file, byte for byte.
 */
import { type AgentTool, parametersOf } from "@bridle/agent";
import { Failure } from "@bridle/record";
import * as Type from "typebox";
import type { Workspace, WorkspacePath } from "../types.js";
import { withNearest } from "../workspace/nearest.js";
import { readingIntent } from "./intent.js";
import { binaryKind, notText, utf8 } from "./text.js";

const usualBytes = 32 * 1024;
const bytesMin = 1024;
const bytesMax = 128 * 1024;

const members = {
  path: Type.String({ description: "File of the workspace." }),
  chunk: Type.Integer({ minimum: 1, description: "Which part, counted from 1." }),
  chunk_bytes: Type.Optional(
    Type.Integer({
      minimum: bytesMin,
      maximum: bytesMax,
      description: `About how large a part is; ${usualBytes} when left out. Keep it the same for all parts.`,
    }),
  ),
};
type Args = Type.Static<Type.TObject<typeof members>>;

export function readFileChunkedTool(workspace: Workspace): AgentTool {
  return {
    name: "read_file_chunked",
    description:
      "Reads a text file of the workspace in parts of about equal size that end where a line ends, if there " +
      "is one near. For files with very long lines; read_file is better where lines matter. UTF-8 only.",
    parameters: parametersOf(members),
    family: "files",
    capChars: bytesMax + 10_000,
    intent(args) {
      const { path, chunk, chunk_bytes: size = usualBytes } = args as Args;
      return readingIntent(workspace, {
        tool: "read_file_chunked",
        path,
        part: [chunk, size],
        says: (place) => `read part ${chunk} of ${place}`,
      });
    },
    async run(args) {
      const { path: asked, chunk, chunk_bytes: size = usualBytes } = args as Args;
      const path = workspace.place(asked);
      try {
        const part = await readChunk(workspace, path, { chunk, size });
        const more = chunk < part.chunks ? `; go on with chunk=${chunk + 1}` : "";
        const where = `bytes ${part.from}–${part.to} of ${part.bytes}`;
        const note = `[chunk ${chunk} of ${part.chunks}, ${where}${more}]`;
        const { text, ...facts } = part;
        return {
          ok: true,
          text: `${text}${text.endsWith("\n") ? "" : "\n"}${note}`,
          facts: { path, chunk, ...facts },
        };
      } catch (error) {
        throw await withNearest(workspace, path, error);
      }
    },
  };
}

interface Chunk {
  readonly text: string;
  readonly from: number;
  /** Behind its last byte. */
  readonly to: number;
  readonly bytes: number;
  readonly chunks: number;
}

export async function readChunk(
  workspace: Workspace,
  path: WorkspacePath,
  { chunk, size }: { readonly chunk: number; readonly size: number },
): Promise<Chunk> {
  const start = await workspace.read(path, { offset: 0, length: 8 * 1024 });
  const bytes = (await workspace.facts(path))?.bytes ?? start.length;
  const kind = binaryKind(start);
  if (kind !== undefined) throw notText(path, kind, bytes);
  const chunks = Math.max(1, Math.ceil(bytes / size));
  if (chunk > chunks) {
    throw new Failure("input_invalid", {
      message: `${path} has ${chunks} ${chunks === 1 ? "chunk" : "chunks"} of ${size} bytes; there is no chunk ${chunk}`,
      hint: `Use a chunk from 1 to ${chunks}.`,
    });
  }
  const endOf = async (k: number) => {
    if (k === 0 || k === chunks) return k === 0 ? 0 : bytes;
    const half = Math.floor(size / 2);
    return (
      k * size - half + cutBefore(await workspace.read(path, { offset: k * size - half, length: half + 1 }))
    );
  };
  const [from, to] = [await endOf(chunk - 1), await endOf(chunk)];
  const part = await workspace.read(path, { offset: from, length: to - from });
  const text = utf8(path, part, "read_file takes an encoding.");
  return { text, from, to, bytes, chunks };
}

/** Where to cut before the last byte of the window: behind the last line end, or else before a letter begins. */
function cutBefore(window: Uint8Array): number {
  const last = window.length - 1;
  const lineEnd = window.lastIndexOf(0x0a, last - 1);
  if (lineEnd >= 0) return lineEnd + 1;
  let at = last;
  // Bytes 10xxxxxx go on with a letter that began before them; a letter has at most four bytes.
  while (at > Math.max(0, last - 3) && ((window[at] ?? 0) & 0xc0) === 0x80) at -= 1;
  return at;
}
