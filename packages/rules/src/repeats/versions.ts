/**
 * When something was last changed, by path, at the cost of a path's depth.
 *
 * What a newcomer gets wrong: a change reaches up and down. Who read a folder has
 * read what lies in it, and who changes a folder changes what lies in it.
 */

export class Versions {
  #clock = 0;
  #everything = 0;
  readonly #changed = new Map<string, number>();
  readonly #below = new Map<string, number>();

  change(paths: readonly string[] | "anything"): void {
    this.#clock += 1;
    if (paths === "anything") {
      this.#everything = this.#clock;
      return;
    }
    for (const path of paths) {
      this.#changed.set(path, this.#clock);
      for (const folder of foldersOf(path)) this.#below.set(folder, this.#clock);
    }
  }

  /** Grows when one of the paths may read differently than before. */
  of(paths: readonly string[] | "anything"): number {
    if (paths === "anything" || this.#clock === 0) return this.#clock;
    let latest = paths.some((path) => !isElsewhere(path)) ? this.#everything : 0;
    for (const path of paths) {
      latest = Math.max(latest, this.#changed.get(path) ?? 0, this.#below.get(path) ?? 0);
      for (const folder of foldersOf(path)) latest = Math.max(latest, this.#changed.get(folder) ?? 0);
    }
    return latest;
  }
}

/** Something that is no file, as in `memory:/`. */
const isElsewhere = (path: string) => /^\w+:\//.test(path);

function* foldersOf(path: string): Generator<string> {
  if (isElsewhere(path) || path === "") return;
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) yield path.slice(0, at);
  yield "";
}
