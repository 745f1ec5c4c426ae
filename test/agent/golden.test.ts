/** Sessions that an earlier version recorded, carried out again by this one. */
import { readdirSync, readFileSync } from "node:fs";
import { replayLog, type SessionRow } from "@bridle/agent";
import { nodePorts } from "@bridle/record";
import { recordedTools } from "@bridle/tools";
import { describe, expect, it } from "vitest";

const folder = new URL("../golden/sessions/", import.meta.url);
const names = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));

describe("logs of version 0.1.0", () => {
  it("are six", () => expect(names).toHaveLength(6));

  it.each(names)("%s replays byte for byte", async (name) => {
    const text = readFileSync(new URL(name, folder), "utf8");
    const rows = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as SessionRow);
    const ports = nodePorts();
    const replayed = await replayLog({
      ports,
      rows,
      toolsFor: ({ workspace: root, home }) =>
        recordedTools({ root, ports, ...(home === undefined ? {} : { home }) }),
    });
    expect(replayed).toEqual({ rows: rows.length });
  });
});
