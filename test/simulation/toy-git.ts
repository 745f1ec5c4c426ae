/**
 * As much of git as a step needs, without a disk: commits that know their parents and files, and branches. What was
 * done is done, whatever happens to whoever did it; what chance decides is whether they live to hear of it.
 */
import { createHash } from "node:crypto";

export interface ToyCommit {
  readonly id: string;
  readonly parents: readonly string[];
  readonly files: ReadonlyMap<string, string>;
  /** The step that it was made by. */
  readonly step?: string;
}

export class ToyGit {
  readonly commits = new Map<string, ToyCommit>();
  readonly branches = new Map<string, string>();
  /** Each value that the target has had. */
  readonly moves: string[] = [];

  constructor(files: ReadonlyMap<string, string>) {
    this.branches.set("target", this.commit([], files));
  }

  commit(parents: readonly string[], files: ReadonlyMap<string, string>, step?: string): string {
    const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
    const id = createHash("sha256")
      .update(JSON.stringify([parents, sorted, step ?? ""]))
      .digest("hex")
      .slice(0, 12);
    this.commits.set(id, { id, parents, files, ...(step === undefined ? {} : { step }) });
    return id;
  }

  get(id: string): ToyCommit {
    const commit = this.commits.get(id);
    if (commit === undefined) throw new Error(`no commit ${id}`);
    return commit;
  }

  contains(head: string, id: string): boolean {
    return this.ancestors(head).has(id);
  }

  ancestors(head: string): Set<string> {
    const seen = new Set<string>();
    const left = [head];
    for (let at = left.pop(); at !== undefined; at = left.pop()) {
      if (seen.has(at)) continue;
      seen.add(at);
      left.push(...this.get(at).parents);
    }
    return seen;
  }

  /** Undefined where both sides changed a file since the base. */
  merge(base: string, ours: string, theirs: string, step: string): string | undefined {
    const [from, left, right] = [base, ours, theirs].map((id) => this.get(id).files) as [
      ReadonlyMap<string, string>,
      ReadonlyMap<string, string>,
      ReadonlyMap<string, string>,
    ];
    const files = new Map(left);
    for (const [path, text] of right) {
      if (from.get(path) === text) continue;
      if (left.get(path) !== from.get(path) && left.get(path) !== text) return undefined;
      files.set(path, text);
    }
    return this.commit([ours, theirs], files, step);
  }

  /** Moves a branch only from where the caller believes it to be. */
  moveTarget(to: string, from: string): boolean {
    if (this.branches.get("target") !== from) return false;
    this.branches.set("target", to);
    this.moves.push(to);
    return true;
  }
}
