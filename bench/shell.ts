/**
 * A command behind the wall against a bare bash: what two bubblewraps, a layer that
 * vanishes, limits and a filter cost, from the call of the tool to its report.
 */
import { spawn } from "node:child_process";
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { shellTool } from "../test/support/shell-tool.js";
import { judge, type Line, speedup } from "./measure.js";

const rounds = 41;

export async function benchShell(folder: string): Promise<Line[]> {
  const root = join(realpathSync(folder), "workspace");
  mkdirSync(root);
  // The same for both: with certificates to load, say, node alone takes three times as long.
  const env = { PATH: process.env["PATH"], HOME: process.env["HOME"] };
  const tool = shellTool({ workspace: root, env });
  const held = await tool.asks?.({});
  if (held !== undefined) {
    const line = {
      against: "bash -c",
      ratio: undefined,
      promise: "≤ 6",
      kept: "not judged",
      note: held,
    } as const;
    return [{ name: "a command under read", ...line }];
  }
  const { signal } = new AbortController();
  const walled = async (command: string) => {
    const report = await tool.run({ command }, { callId: "c", round: 1, signal, update: () => {} });
    if (!report.ok) throw new Error(report.text);
  };
  const bare = (command: string) =>
    new Promise<void>((resolve, reject) => {
      const child = spawn("/bin/bash", ["--noprofile", "--norc", "-c", command], { cwd: root, env });
      child.stdout.resume();
      child.once("error", reject);
      child.once("close", () => resolve());
    });
  const measure = async (command: string, atMost: number): Promise<Line> => {
    await walled(command);
    const { ratio, baselineMs, subjectMs } = await speedup(
      rounds,
      () => bare(command),
      () => walled(command),
    );
    const note = `${subjectMs.toFixed(1)} ms against ${baselineMs.toFixed(1)} ms`;
    return judge({ name: `${command} under read`, against: "bash -c", ratio: 1 / ratio, note }, { atMost });
  };
  return [await measure("true", 6), await measure("node -e 0", 1.6)];
}
