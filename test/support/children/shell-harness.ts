/** A harness that runs commands at the same time, and ends when it is told to without waiting for them. */
import { args, done, say, told } from "../child-kit.js";
import { shellTool } from "../shell-tool.js";

const {
  root,
  commands,
  needs = "host",
} = args<{ root: string; commands: readonly string[]; needs?: string }>();
const tool = shellTool({ workspace: root, env: process.env });
const { signal } = new AbortController();
for (const [at, command] of commands.entries())
  void tool
    .run({ command, needs }, { callId: String(at), round: 1, signal, update: () => {} })
    .then(({ text }) => say(`ended ${at} ${text.split("\n")[0]}`));
await told().next();
done();
