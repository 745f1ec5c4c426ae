/** Runs what people run all day behind the wall, as whoever this program runs as, and says how each ended. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { args, done, say } from "../child-kit.js";
import { shellTool } from "../shell-tool.js";
import { everyday, makeProject } from "../wall/everyday.js";

const { base, repository, path } = args<{ base: string; repository: string; path: string }>();
const { work, home } = makeProject(base, repository);
const env = { PATH: `${join(repository, "bin")}:${path}`, HOME: home };
const tool = shellTool({
  ...{ workspace: work, env },
  readable: [join(repository, "node_modules"), join(repository, "dist")],
});
const { signal } = new AbortController();
for (const { command, needs, prints = "", with: program } of everyday) {
  if (program !== undefined && !isInstalled(program)) {
    say(`not tried: ${command}: ${program} is not installed`);
    continue;
  }
  const report = await tool.run({ command, needs }, { callId: "c", round: 1, signal, update: () => {} });
  say(`ran ${JSON.stringify({ command, ok: report.ok && report.text.includes(prints), text: report.text })}`);
}
done();

/** And works: a shim of a version manager may be there without what it stands for. */
function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ["--version"], { env, stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
