/** What Bridle stands on: Node, git, the wall, the disk, a home. */
import { settingsFolder } from "@bridle/record";
import type { Finding, Place } from "./types.js";

/** Bridle starts from here on. */
const nodeLeast = [20, 19] as const;
/** Last day of support by Node's own calendar; majors that are missing here are newer than this table. */
const nodeEnds: Readonly<Record<number, string>> = {
  20: "2026-04-30",
  21: "2024-06-01",
  22: "2027-04-30",
  23: "2025-06-01",
  24: "2028-04-30",
  25: "2026-06-01",
};
/** `git worktree` with locks and reasons, `--path-format`, `merge-tree --write-tree`. */
const gitLeast = [2, 38] as const;
const freeBytesLeast = 200 * 1024 * 1024;

export async function* lookAtMachine(place: Place): AsyncGenerator<Finding> {
  yield* lookAtNode(place);
  yield* lookAtGit(place);
  const { machine, root, call } = place;
  const wall = await machine.wall(root);
  if (wall !== undefined)
    yield {
      fault: "wall_missing",
      level: "fault",
      says: `commands of agents and checks cannot be held back: ${wall.because}`,
      mend: wall.remedy,
    };
  const free = await machine.freeBytes(root);
  if (free !== undefined && free < freeBytesLeast)
    yield {
      fault: "disk_low",
      level: "fault",
      says: `the disk has ${Math.floor(free / 1024 / 1024)} MB left, and what is written there may not fit`,
      mend: "bridle worktrees --clean",
    };
  if (settingsFolder(call.env) === undefined)
    yield {
      fault: "home_missing",
      level: "fault",
      says: "neither HOME nor XDG_CONFIG_HOME names a folder, so lanes, keys and settings have no place",
      mend: "export HOME=<your folder>",
    };
}

async function* lookAtNode({ machine, call }: Place): AsyncGenerator<Finding> {
  const [major = 0, minor = 0] = numbersIn(machine.node);
  if (isBelow([major, minor], nodeLeast)) {
    yield {
      fault: "node_too_old",
      level: "fault",
      says: `Node ${machine.node} is older than ${nodeLeast.join(".")}, which Bridle needs`,
      mend: "nvm install 24",
    };
    return;
  }
  const ends = nodeEnds[major];
  if (ends !== undefined && Date.parse(ends) < (await call.ports.clock.now()))
    yield {
      fault: "node_unsupported",
      level: "note",
      says: `Node ${major} gets no security fixes since ${ends}`,
      mend: "nvm install 24",
    };
}

async function* lookAtGit({ call, root, gitRuns }: Place): AsyncGenerator<Finding> {
  if (!gitRuns) {
    yield {
      fault: "git_missing",
      level: "fault",
      says: "git cannot be run, so nothing is merged, checked or kept in worktrees",
      mend: "apt-get install git",
    };
    return;
  }
  const said = await call.ports.git?.run(root, ["--version"]);
  const version = /\d+(?:\.\d+)+/.exec(Buffer.from(said?.stdout ?? []).toString("utf8"))?.[0];
  const [major = 0, minor = 0] = numbersIn(version ?? "");
  if (version !== undefined && isBelow([major, minor], gitLeast))
    yield {
      fault: "git_too_old",
      level: "fault",
      says: `git ${version} is older than ${gitLeast.join(".")}, which merging in the background needs`,
      mend: "apt-get install git",
    };
}

function numbersIn(version: string): number[] {
  return version.split(".").map(Number);
}

function isBelow([major, minor]: readonly [number, number], least: readonly [number, number]): boolean {
  return major < least[0] || (major === least[0] && minor < least[1]);
}
