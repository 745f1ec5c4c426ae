/** Why a run or a step says no. What a step fails with is a class of the retry policy as well. */
export const failures = {
  run_unknown: "There is no such run here.",
  run_busy: "Another coordinator works on this repository.",
  repository_unfit: "Work cannot be done in this repository as it is (bare, no commit, HEAD on no branch).",
  target_unfit: "The branch that changes are merged into cannot be used.",
  target_conflict: "Your branch and the target cannot be merged without a person.",
  git_failed: "git could not do what it was asked to.",
  worktree_unfit: "A worker's worktree cannot be made or used.",
  work_command_missing: "Nothing says what command does the work.",
  work_failed: "The work command ended with an error.",
  work_timeout: "The work command took longer than it may.",
  work_interrupted: "The worker ended while the work command ran.",
  setup_failed: "What makes a worktree ready to work in failed.",
  merge_conflict: "The change does not merge with what others did.",
  merged_check_failed: "The change passes its checks alone, and fails them together with what others did.",
  base_red: "The required checks fail before anything was changed.",
  outside_change:
    "Something changed outside of the worktree while the command worked, and no row accounts for it.",
  worker_failed: "A worker could not begin.",
  change_refused: "A change that was accepted could not be merged.",
  waits_for_parts: "The issue was divided; it waits for its parts.",
  rate_limited: "The tool's usage limit is reached.",
  login_missing: "The tool that does the work is not logged in.",
} as const satisfies Record<string, string>;

type Declared = typeof failures;

declare module "@bridle/record" {
  interface FailureClasses extends Declared {}
}
