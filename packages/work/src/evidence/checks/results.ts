/**
 * Results of checks by the tree that they ran on, so that a tree that passed is not checked
 * again. Only what passed at once is kept: a failure may have been the machine's.
 *
 * They lie in the person's state folder and are what a verified change goes back to; a witness
 * in the repository is a copy that anybody could have written.
 */
import { join } from "node:path";
import { digest, isJsonObject, type JsonObject, Lock, type Ports, putFile } from "@bridle/record";
import type { Check, CheckMap } from "../required/check-map.js";
import { readSmallJson } from "../../small-file.js";
import type { Checking, CheckReport } from "./types.js";

const treesMax = 500;

type Env = Checking["env"];

/** The variables that a command gets from whoever runs it, as they are set there. */
export function inherited({ inherits = [] }: Pick<Check, "inherits">, env: Env): Record<string, string> {
  return Object.fromEntries(inherits.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

/** What must be equal for a result to hold: the check itself, what set its worktree up, and what they inherit. */
export function checkKey(check: Check, setup: CheckMap["setup"], env: Env): string {
  const inherits = { ...inherited(setup ?? {}, env), ...inherited(check, env) };
  return digest("sha256:", { check, setup: setup ?? null, inherits } as unknown as JsonObject);
}

export class CheckResults {
  constructor(
    private readonly folder: string,
    private readonly ports: Ports,
  ) {}

  /** What passed on a tree, by the key of its check. */
  async of(tree: string): Promise<ReadonlyMap<string, CheckReport>> {
    const passed = new Map<string, CheckReport>();
    for (const [key, value] of Object.entries(await this.read(tree)))
      if (isJsonObject(value) && value["status"] === "passed")
        passed.set(key, value as unknown as CheckReport);
    return passed;
  }

  async keep(tree: string, key: string, report: CheckReport): Promise<void> {
    const { ports } = this;
    await ports.files.makeDirectory(join(this.folder, "results"));
    // Two runs on one tree: neither writes over what the other has just kept.
    const path = join(this.folder, "results.lock");
    const held = await new Lock({ path, name: "results of checks", ports }).acquire();
    try {
      const text = JSON.stringify({ ...(await this.read(tree)), [key]: report });
      await putFile(this.path(tree), Buffer.from(`${text}\n`), ports);
      await this.prune();
    } finally {
      await held.release();
    }
  }

  private path(tree: string): string {
    return join(this.folder, "results", `${tree}.json`);
  }

  private async read(tree: string): Promise<JsonObject> {
    const value = await readSmallJson(this.path(tree), this.ports.files);
    return isJsonObject(value) ? value : {};
  }

  private async prune(): Promise<void> {
    const { files } = this.ports;
    const folder = join(this.folder, "results");
    const names = await files.list(folder);
    if (names.length <= treesMax) return;
    const dated = await Promise.all(
      names.map(async (name) => ({ name, at: (await files.stat(join(folder, name)))?.mtimeMs ?? 0 })),
    );
    const oldest = dated.sort((left, right) => left.at - right.at).slice(0, names.length - treesMax);
    for (const { name } of oldest) await files.remove(join(folder, name));
  }
}
