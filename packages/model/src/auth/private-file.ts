/**
 * A file that only its owner may read: written whole or not at all, with the
 * permissions 0600 from its first byte on, and not believed when others can read it.
 */
import { basename, dirname, join } from "node:path";
import { Failure, failureAt, type FailureClass, type Ports } from "@bridle/record";
import { modelLimits } from "../limits.js";

const ownerOnly = 0o600;
const othersMay = 0o077;

/** Undefined when it is not there. */
export async function readSettingsFile(
  path: string,
  { files }: Ports,
  failureClass: FailureClass,
): Promise<{ readonly text: string; readonly shared: boolean } | undefined> {
  try {
    const stat = await files.stat(path);
    if (stat === undefined) return undefined;
    if (stat.kind !== "file" || stat.size > modelLimits.settingsBytesMax) {
      const why =
        stat.kind === "file" ? `is larger than ${modelLimits.settingsBytesMax} bytes` : "is no regular file";
      throw new Failure(failureClass, { message: `${path} ${why}`, hint: "Move it away." });
    }
    const file = await files.open(path, "read");
    try {
      const bytes = await file.read(0, stat.size);
      return { text: new TextDecoder().decode(bytes), shared: (stat.mode & othersMay) !== 0 };
    } finally {
      await file.close();
    }
  } catch (error) {
    throw failureAt(path, error);
  }
}

export async function writePrivateFile(path: string, text: string, { files, ids }: Ports): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}.${await ids.next()}.draft`);
  try {
    await files.makeDirectory(dirname(path));
    try {
      const file = await files.open(draft, "create", ownerOnly);
      try {
        let rest = Buffer.from(text);
        while (rest.length > 0) rest = rest.subarray(await file.append(rest));
        await file.sync();
      } finally {
        await file.close();
      }
      await files.rename(draft, path);
    } catch (error) {
      await files.remove(draft).catch(() => {});
      throw error;
    }
    await files.syncDirectory(dirname(path));
  } catch (error) {
    throw failureAt(path, error);
  }
}

export function readableByOthers(path: string, failureClass: FailureClass): Failure {
  return new Failure(failureClass, {
    message: `${path} holds a key and can be read by others`,
    hint: `Make it yours alone: chmod 600 ${path}`,
  });
}
