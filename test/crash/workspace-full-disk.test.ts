/** A disk that fills up during a commit: the target is as it was, and nothing else is there. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { useChildren } from "../support/children.js";
import { newFolder } from "../support/folder.js";

const children = useChildren();

async function attempts(
  large: number,
  withinOf: (disk: string) => readonly string[],
  fill: boolean,
): Promise<{ readonly complaint: string; readonly lines: readonly string[] }> {
  const disk = join(newFolder(), "disk");
  mkdirSync(disk);
  const child = children.start("commit-full", { disk, large, fill }, { within: withinOf(disk) });
  await child.ended;
  return { complaint: child.complaint, lines: child.lines };
}

const smallDisk = (disk: string) => [
  ...["unshare", "--mount", "--map-root-user", "sh", "-c"],
  `mount -t tmpfs -o size=1m tmpfs "$0" && exec "$@"`,
  disk,
];
const smallFiles = () => ["sh", "-c", 'ulimit -f 64; exec "$@"', "sh"];

const refused = ["replace: disk_full", "make: disk_full"];
const after = ["left: target as it was", "replace when there is room again: done", "done"];

describe("a commit that the disk has no room for", () => {
  it("leaves the target as it was, no draft and no new folder, where files may not grow", async () => {
    const { lines } = await attempts(1024 * 1024, smallFiles, false);
    expect(lines).toEqual([...refused, ...after]);
  });

  it("does so on a disk without a byte left, where one can be mounted", async () => {
    const { complaint, lines } = await attempts(4 * 1024 * 1024, smallDisk, true);
    const isMounted = !/^(?:unshare|mount):/m.test(complaint);
    console.log(
      `proof: full disk: ${isMounted ? "a disk of 1 MiB, full to the last byte" : "no disk could be mounted"}`,
    );
    if (isMounted)
      expect(lines).toEqual([...refused, "replace when not a byte is left: disk_full", ...after]);
  });
});
