/** What a person is shown of a call that needs a yes: what would happen, as plainly as it can be said. */
import type { AgentTool, ApprovalRequest, Needs } from "@bridle/agent";
import type { Paint } from "@bridle/operation";
import type { JsonObject } from "@bridle/record";
import { visible, visibleJson, visibleLine } from "../agent/visible.js";
import { diffLines } from "./diff-lines.js";

export interface Asked {
  readonly head: string;
  /** At the end of the line of `head`. */
  readonly facts: readonly string[];
  /** Already made visible. */
  readonly body: readonly string[];
  readonly after: readonly string[];
  /** Whether it stays on the screen when it was answered: the result of a change does not show it again. */
  readonly keep: boolean;
}

export async function askedOf(
  request: ApprovalRequest,
  tool: AgentTool | undefined,
  paint: Paint,
): Promise<Asked> {
  const { args, intent } = request;
  if (typeof args["command"] === "string") return askedCommand(request, args["command"], paint);
  const preview = await tool?.preview?.(args);
  const says = visibleLine(intent.says, 400);
  const risk = intent.risk === "destructive" ? [paint.bad("destructive")] : [];
  if (preview !== undefined) {
    const { lines, added, removed } = diffLines(preview, paint);
    const facts = [...risk, `${paint.good(`+${added}`)} ${paint.bad(`−${removed}`)}`];
    return { head: `${says}?`, facts, body: lines, after: [], keep: true };
  }
  const head = `${visibleLine(request.tool, 60)}: ${says}?`;
  return {
    head,
    facts: [...risk, intent.risk].slice(0, 1),
    body: argumentLines(args),
    after: [],
    keep: false,
  };
}

/** `because` is why somebody is asked although the tier would not: then nothing holds the command to it. */
function askedCommand({ intent, args, because }: ApprovalRequest, command: string, paint: Paint): Asked {
  const { needs } = intent;
  const { cwd } = args;
  return {
    head:
      typeof cwd === "string" && cwd !== "."
        ? `Run this command in ${visibleLine(cwd)}?`
        : "Run this command?",
    facts:
      needs === undefined
        ? [paint.note(intent.risk)]
        : because === undefined
          ? tierFacts[needs](paint)
          : [paint.note(needs), paint.bad("no wall")],
    body: visible(command)
      .split("\n")
      .map((line) => paint.strong(line)),
    after: [because ?? (needs === undefined ? "" : tierSays[needs])]
      .filter((line) => line !== "")
      .map((line) => visibleLine(line, 600)),
    keep: false,
  };
}

const tierFacts: Readonly<Record<Needs, (paint: Paint) => readonly string[]>> = {
  read: () => ["read", "no network"],
  write: (paint) => [paint.note("write"), "no network"],
  network: (paint) => [paint.note("network")],
  host: (paint) => [paint.bad("host"), "no wall"],
};

const kept = ".git/config, .git/hooks, .premath, .bridle";
const tierSays: Readonly<Record<Needs, string>> = {
  read: "It may look at this folder; what it writes vanishes.",
  write: `It may change files of this folder, but for ${kept}.`,
  network: `It may change files of this folder, but for ${kept}, and talk to any machine.`,
  host: "It may do whatever you may do on this machine: change, delete and send anything.",
};

/** Each argument whole, long ones on lines of their own. */
function argumentLines(args: JsonObject): string[] {
  return Object.entries(args).flatMap(([name, value]) => {
    const label = `${visibleLine(name, 60)}: `;
    if (typeof value !== "string") return [`${label}${visibleJson(value)}`];
    const lines = visible(value).split("\n");
    return lines.length === 1
      ? [`${label}${lines[0]}`]
      : [label.trimEnd(), ...lines.map((line) => `  ${line}`)];
  });
}
