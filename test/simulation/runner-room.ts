/** What the scenarios of the runner use of it; planted bugs are loaded as a copy of exactly this. */
export { isRefusal, Lock, Log } from "@bridle/record";
export { costsNothing, driveStep, earlierMerges, Journal, newStep, next, stepFrom } from "@bridle/runner";
export {
  addIssue,
  attemptsOf,
  closeIssue,
  decideClaimNext,
  decideRenew,
  engineFor,
  leaveIssue,
  leftBy,
  newStep as newTrajectoryStep,
} from "@bridle/work";
