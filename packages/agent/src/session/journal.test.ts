import { readFileSync } from "node:fs";
import { join } from "node:path";
import { nodePorts } from "@bridle/record";
import { FaultyFiles } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import { newFastFolder } from "../../../../test/support/folder.js";
import { FileJournal } from "./journal.js";
import type { SessionRow } from "./rows.js";

const row = (send: number): SessionRow => ({ type: "send", send, text: `ask ${send}` });
const sends = (path: string) =>
  readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { send: number }).send);

describe("a journal whose disk fails", () => {
  const faults = [
    { fault: "ENOSPC", methods: ["append"] },
    { fault: "EIO", methods: ["append"] },
    { fault: "EIO", methods: ["sync"] },
    { fault: "torn-write", methods: ["append"] },
  ] as const;
  it.each(faults)(
    "with $fault at any $methods has every row once and in order when it goes on",
    async (fault) => {
      let tried = 0;
      for (let at = 1; ; at++) {
        const real = nodePorts();
        const files = new FaultyFiles(real.files, { ...fault, methods: [...fault.methods], at });
        const path = join(newFastFolder(), "s.jsonl");
        const opened = await FileJournal.open({ path, ports: { ...real, files } }).catch(() => undefined);
        if (opened === undefined) continue;
        let failed = 0;
        for (let send = 1; send <= 12; send += 3) {
          for (const each of [send, send + 1, send + 2]) opened.add(row(each));
          // Two at once: who is told that it failed may be either.
          const flushes = await Promise.allSettled([opened.flush("synced"), opened.flush("synced")]);
          failed += flushes.filter(({ status }) => status === "rejected").length;
        }
        await opened.close();
        expect(sends(path), `fault ${at}`).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
        if (files.fired === 0) break;
        expect(failed, `fault ${at}`).toBeLessThanOrEqual(1);
        tried++;
      }
      expect(tried).toBeGreaterThan(3);
    },
  );
});
