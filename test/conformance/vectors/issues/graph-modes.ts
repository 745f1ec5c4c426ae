/** issue_ready_blocked and issue_discover: through the graph and the operation, on a real file. */
import type { Call } from "@bridle/operation";
import { isJsonObject, isRefusal, type JsonObject } from "@bridle/record";
import type { IssueGraph } from "@bridle/work";
import { issueDiscover } from "../../../../packages/work/src/operations/issue-discover.js";
import { nowOf, objectAt, objectsAt, sameSet, textAt, textsAt } from "./artifacts.js";
import { type Ground, onMemory } from "./memory.js";
import { accepted, type Evaluator, rejected } from "./types.js";

export const evaluateReadyBlocked: Evaluator = (artifacts) =>
  onMemory(objectsAt(artifacts, "issues"), nowOf(artifacts), async ({ memory }) => {
    const graph = await memory.graph();
    const looked = readyBlocked(graph);
    // Any question about claims builds the indexes; both ways must say the same.
    graph.claimedBy("nobody");
    const indexed = readyBlocked(graph);
    if (!sameSet(looked.ready, indexed.ready) || !sameSet(looked.blocked, indexed.blocked)) {
      throw new Error("the graph contradicts itself about what is ready");
    }
    const { ready, blocked, open } = looked;
    if (!sameSet(ready, textsAt(artifacts, "expectedReadyIds"))) return rejected("issue_ready_set_mismatch");
    if (!sameSet(blocked, textsAt(artifacts, "expectedBlockedIds"))) {
      return rejected("issue_blocked_set_mismatch");
    }
    if (ready.some((id) => blocked.includes(id))) return rejected("issue_ready_blocked_overlap");
    const openOnes = [...ready, ...blocked].filter((id) => open.includes(id));
    if (!sameSet(openOnes, open)) return rejected("issue_ready_blocked_open_partition_mismatch");
    return accepted;
  });

/** Blocked here is who waits for something, not who was set to be blocked. */
function readyBlocked(graph: IssueGraph): { ready: string[]; blocked: string[]; open: string[] } {
  const nodes = [...graph.nodes()];
  return {
    ready: [...graph.ready()].map(({ id }) => id),
    blocked: nodes.filter((node) => !node.closed && graph.unresolved(node).length > 0).map(({ id }) => id),
    open: nodes.filter(({ status }) => status === "open").map(({ id }) => id),
  };
}

export const evaluateDiscover: Evaluator = async (artifacts) => {
  const existing = objectsAt(artifacts, "existingIssues");
  const found = objectAt(artifacts, "discoveredIssue");
  const id = textAt(found, "id");
  return onMemory(existing, nowOf(artifacts), async ({ path, ports, memory }) => {
    const before = (await memory.graph()).sorted().map((node) => node.text);
    const input = {
      issuesPath: path,
      parentIssueId: textAt(objectAt(artifacts, "parentIssue"), "id"),
      title: textAt(found, "title") || id,
      ...(id === "" ? {} : { id }),
    };
    const answer = (await issueDiscover.run(input, callOn({ path, ports, memory }))) as JsonObject;
    if (isRefusal(answer)) return rejected(answer.refused);
    const { expectedDependency, expectedTotalIssues } = artifacts;
    if (isJsonObject(expectedDependency)) {
      const link = objectAt(answer, "dependency");
      const equal = ["issueId", "dependsOnId", "type"].every(
        (name) => link[name] === expectedDependency[name],
      );
      if (!equal) return rejected("issue_discover_link_mismatch");
    }
    const after = await memory.graph();
    const texts = new Set([...after.nodes()].map((node) => node.text));
    const kept = before.every((text) => texts.has(text));
    const total = typeof expectedTotalIssues === "number" ? expectedTotalIssues : before.length + 1;
    return kept && after.size === total ? accepted : rejected("issue_discover_non_loss_violation");
  });
};

function callOn({ ports }: Ground): Call {
  return {
    ports,
    signal: new AbortController().signal,
    cwd: "/",
    env: {},
    warn() {},
    progress() {},
  };
}
