/**
 * The `keep:` list of AGENTS.md: paths of the project that no agent may change.
 *
 *     keep:
 *     - migrations/
 *     - "*.lock"
 *
 * What a newcomer gets wrong: it is the one part of that file that is enforced, so it
 * can only forbid. It stands at the beginning of a line, once or more often, with its
 * items below it or behind it, separated by commas.
 */
import type { Commitment } from "../types.js";

const itemsMax = 100;

/** Undefined when there is no such list. */
export function keepList(text: string): Commitment | undefined {
  const paths: string[] = [];
  let inList = false;
  for (const line of text.split(/\r?\n/)) {
    const head = /^keep:(.*)$/i.exec(line)?.[1];
    if (head !== undefined) {
      inList = true;
      paths.push(...head.replace(/^\s*\[|\]\s*$/g, "").split(","));
      continue;
    }
    const item = inList ? /^\s*[-*]\s+(.+)$/.exec(line)?.[1] : undefined;
    if (item !== undefined) paths.push(item);
    else if (line.trim() !== "") inList = false;
  }
  const named = paths
    .map((path) => path.trim().replace(/^(["'`])(.*)\1$/, "$2"))
    .filter((path) => path !== "");
  if (named.length === 0) return undefined;
  return { text: "AGENTS.md keeps these as they are", paths: named.slice(0, itemsMax), tools: [], needs: [] };
}
