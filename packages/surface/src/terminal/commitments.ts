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

export function keep(scene: ChatScene, given: string): void {
  const paths = wordsOf(given);
  if (paths.length === 0) {
    throw new Failure("input_invalid", {
      message: "/keep needs the paths that must stay as they are",
      hint: "As in /keep src/api.ts docs/ *.lock, from the workspace's folder.",
    });
  }
  scene.opened.agent.commit({ text: `keep ${paths.join(" ")}`, paths });
  scene.say(`  kept as they are: ${paths.map((path) => visibleLine(path)).join(", ")}`);
}

export function never(scene: ChatScene, given: string): void {
  const asked = wordsOf(given);
  const needs = ruledOut.filter((tier) => asked.includes(tier));
  if (asked.length === 0 || needs.length < new Set(asked).size) {
    throw new Failure("input_invalid", {
      message: "/never needs one of write, network and host",
      hint: "As in /never network: then no command that needs the network is run, whoever says yes.",
    });
  }
  scene.opened.agent.commit({ text: `never ${needs.join(" ")}`, needs });
  scene.say(`  no command may need ${needs.join(" or ")} from here on`);
}

/** By spaces; what stands in quotes is one. */
function wordsOf(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].flatMap(([, a, b, c]) => {
    const word = (a ?? b ?? c ?? "").replace(/^\.\//, "");
    return word === "" ? [] : [word];
  });
}
