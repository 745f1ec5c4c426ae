/** `bridle worktrees`: where workers work, and what is in there that nobody has merged. */
import { basename } from "node:path";
import { defineOperation } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import * as Type from "typebox";
import { removeMerged } from "../repository/branches.js";
import { runsFolder } from "../repository/repository.js";
import { listWorktrees, worktreesFolder } from "../repository/worktrees.js";
import { takeSeat } from "../run/seat.js";
import { byPerson, flag, flags, nullable } from "./define.js";
import { repositoryOf, runOfInput } from "./run-of.js";

export const worktrees = defineOperation({
  names: {
    id: "op/work.worktrees",
    action: "work.worktrees",
    command: ["worktrees"],
    tool: "work_worktrees",
  },
  ...byPerson,
  summary: "List the worktrees of workers, and remove those that are done with.",
  description:
    "With --clean those are removed whose work is merged, in which nothing is loose and where nobody works, and so are " +
    "the branches bridle/work/… that are merged. What is not merged or not committed stays.",
  examples: [
    { command: "bridle worktrees", says: "what there is" },
    { command: "bridle worktrees --clean", says: "removes what is merged" },
  ],
  input: flags({
    repoRoot: runOfInput.repoRoot,
    clean: flag("Remove what is merged and not in use."),
  }),
  output: Type.Object({
    action: Type.Literal("work.worktrees"),
    worktrees: Type.Array(
      Type.Object({
        folder: Type.String(),
        branch: nullable(Type.String()),
        loose: Type.Integer({ description: "Paths with changes that no commit holds." }),
        merged: Type.Boolean(),
        inUse: Type.Boolean(),
        removed: Type.Boolean(),
      }),
    ),
    branches: Type.Array(Type.String(), { description: "Branches that were merged, and that were removed." }),
  }),
  async run(given, call) {
    const { ports, env } = call;
    const repository = await repositoryOf(given, call);
    if (isRefusal(repository)) return repository;
    const rows = [];
    const folder = await worktreesFolder(repository, env, ports);
    for (const { folder: path, branch, loose, merged } of await listWorktrees(folder, repository)) {
      const seat = await takeSeat(runsFolder(repository), basename(path), ports);
      try {
        const removes = given.clean === true && seat !== undefined && merged && loose === 0;
        // Forced, because git takes the worker's session for something loose.
        const removed =
          removes && (await repository.git.ask("worktree", "remove", "--force", path)).code === 0;
        const inUse = seat === undefined;
        rows.push({ folder: path, branch: branch ?? null, loose, merged, inUse, removed });
      } finally {
        await seat?.release();
      }
    }
    const branches = given.clean === true ? await removeMerged(repository) : [];
    return { action: "work.worktrees" as const, worktrees: rows, branches };
  },
  present({ worktrees: rows, branches }, paint) {
    const gone = branches.length === 0 ? [] : [`  ${branches.length} merged branches removed`];
    if (rows.length === 0) return ["  there are no worktrees", ...gone].join("\n");
    const lines = rows.map(({ folder, branch, loose, merged, inUse, removed }) => {
      const state = removed
        ? paint.good("removed")
        : inUse
          ? "in use"
          : merged
            ? "merged"
            : paint.note("not merged");
      return `  ${folder}  ${state}${loose === 0 ? "" : `, ${loose} loose`} ${paint.dim(branch ?? "")}`;
    });
    return [...lines, ...gone].join("\n");
  },
});
