/**
 * What a person rules out for the rest of a session: paths that must stay as they
 * are, and what no command may need. The agent's log keeps it, so it holds after a
 * resume too.
 */
import type { Needs } from "@bridle/agent";
import { Failure } from "@bridle/record";
import { visibleLine } from "../agent/visible.js";
import type { ChatScene } from "./commands.js";

const ruledOut = ["write", "network", "host"] as const satisfies readonly Needs[];

export async function keep(scene: ChatScene, given: string): Promise<void> {
  const paths = wordsOf(given);
  if (paths.length === 0) {
    throw new Failure("input_invalid", {
      message: "/keep needs the paths that must stay as they are",
      hint: "As in /keep src/api.ts docs/ *.lock, from the workspace's folder.",
    });
  }
  await commit(scene, { text: `keep ${paths.join(" ")}`, paths, tools: [], needs: [] });
  scene.say(`  kept as they are: ${paths.map((path) => visibleLine(path)).join(", ")}`);
}

export async function never(scene: ChatScene, given: string): Promise<void> {
  const asked = wordsOf(given);
  const needs = ruledOut.filter((tier) => asked.includes(tier));
  if (asked.length === 0 || needs.length < new Set(asked).size) {
    throw new Failure("input_invalid", {
      message: "/never needs one of write, network and host",
      hint: "As in /never network: then no command that needs the network is run, whoever says yes.",
    });
  }
  await commit(scene, { text: `never ${needs.join(" ")}`, paths: [], tools: [], needs });
  scene.say(`  no command may need ${needs.join(" or ")} from here on`);
}

interface Ruled {
  readonly text: string;
  readonly paths: readonly string[];
  readonly tools: readonly string[];
  readonly needs: readonly Needs[];
}

async function commit({ opened }: ChatScene, ruled: Ruled): Promise<void> {
  const agent = opened.agent as { commit?(ruled: Ruled): void | Promise<void> };
  if (agent.commit === undefined) throw new Error("this agent knows no commitments of a person");
  await agent.commit(ruled);
}

/** By spaces; what stands in quotes is one. */
function wordsOf(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].flatMap(([, a, b, c]) => {
    const word = (a ?? b ?? c ?? "").replace(/^\.\//, "");
    return word === "" ? [] : [word];
  });
}
