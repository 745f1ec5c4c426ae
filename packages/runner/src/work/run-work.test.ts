import { join } from "node:path";
import { nodePorts } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import { runWork } from "./run-work.js";

describe("a tool that has given its result", () => {
  it("and does not end, as with a server of its own, is ended a while later and counts as finished", async () => {
    const folder = newFolder();
    const env = { PATH: process.env["PATH"] ?? "", HOME: folder };
    const result = '{"type":"result","is_error":false,"total_cost_usd":0.5,"result":"done"}';
    const words = ["bash", "-c", `echo '${result}'; sleep 300 & sleep 300`];
    const end = await runWork(
      {
        ...{ preset: { name: "claude", words, output: "claude" }, wrapper: [], issueId: "bd-1", prompt: "" },
        ...{ folder, env, variables: {}, wall: false, writable: [], timeoutMs: 60_000, afterResultMs: 50 },
        ...{ outputPath: join(folder, "output.log"), lost: new AbortController().signal },
        signal: new AbortController().signal,
      },
      nodePorts(),
    );
    expect(end).toMatchObject({ how: "finished", heard: { finished: true, costUsd: 0.5, says: "done" } });
    expect(end.ms).toBeLessThan(20_000);
  });
});
