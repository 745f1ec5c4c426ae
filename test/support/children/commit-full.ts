/** Commits in a workspace whose disk takes no more, and says what came of it and what is left there. */
import * as fs from "node:fs";
import { join } from "node:path";
import { Failure } from "@bridle/record";
import { openWorkspace, type Expected } from "@bridle/tools";
import { args, done, say } from "../child-kit.js";

const { disk, large, fill } = args<{ disk: string; large: number; fill: boolean }>();
const root = join(disk, "workspace");
fs.mkdirSync(root, { recursive: true });
fs.writeFileSync(join(root, "target"), "as it was");
const space = await openWorkspace(root);

async function attempt(name: string, path: string, bytes: number, expected: Expected): Promise<void> {
  const content = Buffer.alloc(bytes, "n");
  try {
    await space.commit({ path: space.place(path), content, expected });
    say(`${name}: done`);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    say(`${name}: ${error.failureClass}`);
  }
}

await attempt("replace", "target", large, { is: "any" });
await attempt("make", "new/folders/file", large, { is: "absent" });
if (fill) {
  const fd = fs.openSync(join(disk, "filler"), "w");
  for (const piece of [65_536, 4_096, 1]) {
    try {
      for (;;) fs.writeSync(fd, Buffer.alloc(piece));
    } catch {
      // Not one more piece of this size.
    }
  }
  fs.closeSync(fd);
  await attempt("replace when not a byte is left", "target", 100, { is: "any" });
  fs.rmSync(join(disk, "filler"));
}
const names = fs.readdirSync(root, { recursive: true }).map(String);
say(`left: ${names.join()} ${fs.readFileSync(join(root, "target"), "utf8")}`);
await attempt("replace when there is room again", "target", 100, { is: "any" });
done();
