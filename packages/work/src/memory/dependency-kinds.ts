/**
 * The ten kinds of dependency, and what each means in the three views.
 *
 * Four of them are called blocking in the contract's views, and none of those
 * may go round in a circle. Three of the four keep an issue waiting until the
 * other is closed; a child of a parent waits only with it, while it waits
 * itself. The rest only tell how issues belong together.
 */
import type { DependencyType } from "./types.js";

export const dependencyViews = ["execution", "gtd", "groupoid"] as const;
export type DependencyView = (typeof dependencyViews)[number];

interface Meaning {
  readonly blocking: boolean;
  readonly gtd: "next-action" | "project-structure" | "captured-work" | "reference" | "dedupe";
  readonly groupoid: "constraint" | "generator" | "provenance" | "equivalence";
}

const meanings: Readonly<Record<DependencyType, Meaning>> = {
  blocks: { blocking: true, gtd: "next-action", groupoid: "constraint" },
  "conditional-blocks": { blocking: true, gtd: "next-action", groupoid: "constraint" },
  "waits-for": { blocking: true, gtd: "next-action", groupoid: "constraint" },
  "parent-child": { blocking: true, gtd: "project-structure", groupoid: "generator" },
  "discovered-from": { blocking: false, gtd: "captured-work", groupoid: "provenance" },
  "replies-to": { blocking: false, gtd: "captured-work", groupoid: "provenance" },
  related: { blocking: false, gtd: "reference", groupoid: "provenance" },
  "relates-to": { blocking: false, gtd: "reference", groupoid: "provenance" },
  duplicates: { blocking: false, gtd: "dedupe", groupoid: "equivalence" },
  supersedes: { blocking: false, gtd: "dedupe", groupoid: "equivalence" },
};

const blockingTypes: ReadonlySet<string> = new Set(
  Object.entries(meanings).flatMap(([type, { blocking }]) => (blocking ? [type] : [])),
);

/** Also for a type that we do not know, which blocks nothing. */
export function isBlocking(type: string): boolean {
  return blockingTypes.has(type);
}

/** Whether the issue that depends waits until the other is closed. */
export function keepsWaiting(type: string): boolean {
  return type !== parentType && isBlocking(type);
}

/** From a child to its parent. */
export const parentType = "parent-child";

export function roleOf(type: DependencyType, view: DependencyView): string {
  const meaning = meanings[type];
  if (view === "execution") return meaning.blocking ? "blocking" : "informational";
  return meaning[view];
}
