/**
 * Which tools the model is offered. With lazy loading only some families are, and
 * others join when they are activated, or when one of their tools is called by
 * name: an agent that knows what it wants is not sent away.
 */
import type { AgentTool } from "../types.js";

/** Offered from the start, always. */
export const coreFamilies: readonly string[] = ["core", "files", "shell", "plan"];

export class Toolbox {
  readonly all: ReadonlyMap<string, AgentTool>;
  private readonly known: ReadonlySet<string>;
  private readonly active: Set<string>;
  /** Grows when a family joins. */
  version = 0;
  private offeredNow: readonly AgentTool[] | undefined;

  constructor(tools: readonly AgentTool[], { lazy }: { readonly lazy: boolean }) {
    // By name, so that the list is the same whatever order they were given in: providers cache by it.
    const sorted = tools.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    this.all = new Map(sorted.map((tool) => [tool.name, tool]));
    if (this.all.size !== tools.length) throw new Error("two tools have one name");
    this.known = new Set(tools.map(({ family }) => family));
    this.active = new Set(lazy ? coreFamilies : tools.map(({ family }) => family));
  }

  get offered(): readonly AgentTool[] {
    this.offeredNow ??= [...this.all.values()].filter(({ family }) => this.active.has(family));
    return this.offeredNow;
  }

  /** In order of their names, with whether they are active. */
  families(): readonly {
    readonly name: string;
    readonly active: boolean;
    readonly tools: readonly string[];
  }[] {
    const names = [...new Set([...this.all.values()].map(({ family }) => family))].sort();
    return names.map((name) => ({
      name,
      active: this.active.has(name),
      tools: [...this.all.values()].filter(({ family }) => family === name).map((tool) => tool.name),
    }));
  }

  /** False when there is no such family. */
  activate(family: string): boolean {
    if (!this.known.has(family)) return false;
    if (!this.active.has(family)) {
      this.active.add(family);
      this.offeredNow = undefined;
      this.version++;
    }
    return true;
  }
}
