/**
 * R-ORCH-ID: who waits for an agent names an id that a spawn of this send returned.
 *
 * What a newcomer gets wrong: an id in another answer (memory, the report of an
 * agent that spawned its own) is no returned id, however much it looks like one.
 */
import type { Detector, Finding } from "../types.js";

/** Below this a part of an id is a guess that happens to fit. */
const partCharsMin = 3;

export const orchId: Detector = {
  begin() {
    const returned = new Set<string>();
    /** A spawn worked and no id could be read from what it said. */
    let unreadable = false;
    return {
      ran(call, outcome) {
        if (!isSpawn(call.tool) || !outcome.ok) return undefined;
        const id = idIn(outcome.output);
        if (id === undefined) unreadable = true;
        else returned.add(id);
        return undefined;
      },
      proposed(call): Finding | undefined {
        if (call.tool !== "wait_for_agents" || unreadable) return undefined;
        for (const named of idsOf(call.args["task_ids"] ?? call.args["task_id"])) {
          if (returned.has(named)) continue;
          const fits = named.length < partCharsMin ? [] : [...returned].filter((id) => id.includes(named));
          if (fits.length === 1) continue;
          return fits.length > 1
            ? {
                what: `wait_for_agents names ${named}, which fits ${fits.length} agents of this send.`,
                remedy: `Name one of them in full: ${fits.join(", ")}.`,
              }
            : {
                what: `wait_for_agents names ${named}, which no spawn_agent of this send returned.`,
                remedy:
                  returned.size === 0
                    ? "Call spawn_agent first and wait for the task_id that it returns."
                    : `Name a task_id that spawn_agent returned: ${[...returned].join(", ")}.`,
              };
        }
        return undefined;
      },
    };
  },
};

function isSpawn(tool: string): boolean {
  return tool === "spawn_agent" || tool === "spawn_agents";
}

function idIn(output: string): string | undefined {
  const labelled = /\b(?:task|agent)_?id["'`]?\s*[:=]\s*["'`]?([\w.:-]*\w)/i.exec(output)?.[1];
  const bare = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/i.exec(output)?.[0];
  return (labelled ?? bare)?.toLowerCase();
}

function idsOf(value: unknown): string[] {
  const list = Array.isArray(value) ? value : typeof value === "string" ? value.split(/[\s,]+/) : [];
  return list
    .filter((one): one is string => typeof one === "string")
    .map((one) =>
      one
        .trim()
        .replace(/^task_?id\s*[:=]\s*/i, "")
        .replace(/^["'`]+|["'`]+$/g, "")
        .replace(/(?:…|\.\.\.|\*)$/, "")
        .replace(/-$/, "")
        .toLowerCase(),
    )
    .filter((one) => one !== "");
}
