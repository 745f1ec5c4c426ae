/** Places where nothing can be written: folders without the right to, disks without the room. */
import { chmodSync, cpSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Ended, Premath } from "./premath.js";

/** Everybody may read what is below the folder, and nobody may change it, until the test ends. */
export function forbidWriting(folder: string): void {
  const places = [
    folder,
    ...readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name))),
  ];
  const modes = new Map(places.map((place) => [place, statSync(place).mode]));
  onTestFinished(() => {
    for (const [place, mode] of modes) chmodSync(place, mode);
  });
  for (const place of places.toReversed()) chmodSync(place, statSync(place).isDirectory() ? 0o555 : 0o444);
}

export interface FullDisk {
  readonly ended: Ended;
  /** A copy of the folder as the command left it. */
  readonly after: string;
  readonly how: "a disk without room" | "a limit on the size of files";
}

/**
 * Runs a command in a copy of `folder` on a disk that has no byte left. Where no
 * disk can be mounted, files may not grow beyond a limit instead; the command
 * meets a failing write either way.
 */
export async function onFullDisk(
  premath: Premath,
  folder: string,
  words: readonly string[],
): Promise<FullDisk> {
  const disk = `${folder}-disk`;
  const after = `${folder}-after`;
  for (const place of [disk, after]) mkdirSync(place);
  const command = `"$NODE" "$PREMATH" ${words.map((word) => `'${word}'`).join(" ")}`;
  const mounted = await premath.script(
    `unshare --mount --map-root-user bash -c '
       mount -t tmpfs -o size=4m tmpfs "$DISK" && cp -r "$FOLDER/." "$DISK" && touch "$AFTER/mounted" || exit 99
       cd "$DISK" && cat /dev/zero > filler 2>/dev/null
       ${command.replaceAll("'", `'\\''`)}
       code=$?
       cp -r "$DISK/.premath" "$AFTER"
       exit $code'`,
    { cwd: folder, env: { DISK: disk, FOLDER: folder, AFTER: after } },
  );
  if (readdirSync(after).includes("mounted")) return { ended: mounted, after, how: "a disk without room" };
  const limited = await premath.script(`ulimit -f 1; ${command}`, { cwd: folder });
  cpSync(join(folder, ".premath"), join(after, ".premath"), { recursive: true });
  return { ended: limited, after, how: "a limit on the size of files" };
}
