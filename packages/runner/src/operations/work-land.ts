/** `bridle work land`: brings what was merged to the branch that one is on, by fast-forward or not at all. */
import { defineOperation } from "@bridle/operation";
import { isRefusal, refuse } from "@bridle/record";
import * as Type from "typebox";
import { byPerson, flags, named, text } from "./define.js";
import { repositoryOf, runOfInput } from "./run-of.js";

export const workLand = defineOperation({
  names: named("work", "land"),
  ...byPerson,
  summary: "Bring what a run merged to your branch.",
  description:
    "Fast-forwards the branch that you are on to the target. Where your branch has moved on, or what you changed stands " +
    "in the way, nothing is changed and the command to use is named.",
  examples: [{ command: "bridle work land", says: "bridle/main to the branch that you are on" }],
  input: flags({
    repoRoot: runOfInput.repoRoot,
    into: text("branch", "The branch that was merged into; bridle/main when left out."),
  }),
  output: Type.Object({
    action: Type.Literal("work.land"),
    branch: Type.String(),
    target: Type.String(),
    from: Type.String(),
    to: Type.String(),
    commits: Type.Integer(),
  }),
  async run(given, call) {
    const repository = await repositoryOf(given, call);
    if (isRefusal(repository)) return repository;
    const { git, source, target } = repository;
    const head = await git.commit(`refs/heads/${target}`);
    const from = await git.say("rev-parse", "HEAD");
    if (head === undefined)
      return refuse("target_unfit", {
        message: `there is no ${target} yet`,
        hint: "Nothing was merged so far.",
      });
    if (!(await git.isAncestor(from, head)))
      return refuse("target_conflict", {
        message: `${source} has commits that ${target} does not have`,
        hint: `\`git merge ${target}\` makes them one.`,
      });
    const { code, stderr } = await git.ask("merge", "--ff-only", "--quiet", head);
    if (code !== 0)
      return refuse("target_conflict", {
        message: `what you changed stands in the way: ${stderr.trim()}`,
        hint: "Commit or stash it, and land again.",
      });
    const commits = Number(await git.say("rev-list", "--count", "--no-merges", `${from}..${head}`));
    return { action: "work.land" as const, branch: source, target, from, to: head, commits };
  },
  present: ({ branch, target, commits }, paint) =>
    commits === 0
      ? `  ${paint.strong(branch)} has all of ${target} already`
      : `  ${paint.strong(branch)} has ${commits} ${commits === 1 ? "change" : "changes"} of ${target} now`,
});
