/** Small words that the port suites are written in. */
import assert from "node:assert/strict";
import type { Files, OpenMode } from "@bridle/record";

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
export const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

export async function rejectsWith(
  code: string | readonly string[],
  promise: Promise<unknown>,
): Promise<void> {
  const codes = typeof code === "string" ? [code] : code;
  const outcome = await promise.then(
    () => "it succeeded",
    (error: unknown) => (error instanceof Error && "code" in error ? String(error.code) : String(error)),
  );
  assert.ok(codes.includes(outcome), `expected a rejection with ${codes.join(" or ")}, but: ${outcome}`);
}

export async function writeFile(files: Files, path: string, content: string, mode: OpenMode = "append") {
  const file = await files.open(path, mode);
  if (content !== "") assert.equal(await file.append(utf8(content)), utf8(content).length);
  await file.close();
}

export async function readFile(files: Files, path: string): Promise<string> {
  const file = await files.open(path, "read");
  const { size } = await file.stat();
  const content = text(await file.read(0, size));
  await file.close();
  return content;
}

export async function inodeOf(files: Files, path: string): Promise<string> {
  const stat = await files.stat(path);
  assert.ok(stat !== undefined, `${path} is there`);
  return stat.inode;
}
