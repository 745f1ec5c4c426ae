/** Who holds a lock, as the line that its link has for a target. */
import { describe, expect, it } from "vitest";
import { newFastFolder } from "../../../test/support/folder.js";
import { Holders } from "./holder.js";
import { nodePorts } from "./ports/node.js";

const ports = nodePorts();

describe("a holder of a lock", () => {
  it("is four or six words, the first of them a pid", async () => {
    const holders = new Holders(newFastFolder(), ports);
    for (const target of ["", "0 1 2 3", "x 1 2 3", "12 3", " 1 2 3", "12 3 zz 4"])
      expect(await holders.decode(target), target).toBeUndefined();
  });
});
