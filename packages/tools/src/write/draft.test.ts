import { readFileSync } from "node:fs";
import { nodePorts } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { newFastFolder } from "../../../../test/support/folder.js";
import { Draft } from "./draft.js";
import { StagingFolder } from "./staging-folder.js";

describe("a draft", () => {
  it("[D2] holds every piece, however many ticks lie between them", async () => {
    const { files } = nodePorts();
    const folder = new StagingFolder({ stateFolder: newFastFolder(), session: "s-1" }, files);
    for (let ticks = 0; ticks < 120; ticks++) {
      const path = folder.fileOf(String(ticks), "part");
      const draft = new Draft(path, folder, files);
      draft.write("first ");
      for (let i = 0; i < ticks; i++) await Promise.resolve();
      draft.write("second ");
      // Until the writer has just come to its end, whichever tick that is.
      while (readSoFar(path).length < 13 && ticks % 2 === 1) await new Promise(setImmediate);
      draft.write("third");
      expect(await draft.settle()).toBe(true);
      expect(readFileSync(path, "utf8"), `${ticks} ticks`).toBe("first second third");
    }
  });
});

function readSoFar(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
