/**
 * Judges a change: what it touches, whether it leaves alone what its checks go by, and whether
 * the checks that it requires pass on its commit.
 *
 * `issue finish`, `ci-required-attested` and the runner all go through this one function. The
 * map is that of the commit which the change began from, so that no change brings the map that
 * judges it; in a person's name it is the map of the commit itself, and what a person changed
 * of it is told and not refused.
 */
import { isRefusal, refuse, type Refusal } from "@bridle/record";
import type { CheckMap } from "../required/check-map.js";
import { type Projection, projectChecks, projectEverything } from "../required/project-checks.js";
import { type ChangedPath, type Tampered, tamperedPaths } from "../required/protection.js";
import { fileAtCommit, mapAtCommit } from "../required/read-map.js";
import { changesBetween, isHarnessState, mergeBase } from "./git-facts.js";
import { runChecks } from "./run-checks.js";
import { type CheckedRepository, type Checking, semanticFailures, type TreeReport } from "./types.js";

export interface Change {
  readonly repository: CheckedRepository;
  /** Full id of the commit that the change began from. */
  readonly base: string;
  /** Full id of the commit that is judged. */
  readonly commit: string;
  /** Tests that may be changed, because it was said so before the work began. */
  readonly declaredTests: readonly string[];
  /** In a person's name: the commit's own map, and what is protected is listed, not refused. */
  readonly byPerson?: boolean;
  /** Its issue says that nothing may have to be changed: then it is judged by what the map requires for that. */
  readonly mayBeEmpty?: boolean;
  /** Every check of the map, whatever changed. */
  readonly everything?: boolean;
  /** False runs every check again, whatever passed before on this tree. */
  readonly reuse?: boolean;
}

/** What is known of a change before anything is run. */
export interface Scope {
  readonly map: CheckMap;
  readonly projection: Projection;
  readonly changes: readonly ChangedPath[];
  /** In a person's name only: what of the protected was changed. */
  readonly protectedChanges: readonly Tampered[];
}

export interface Verdict extends Scope, TreeReport {
  readonly base: string;
  readonly accepted: boolean;
  readonly operationalFailureClasses: readonly string[];
  readonly semanticFailureClasses: readonly string[];
}

export async function judgeChange(change: Change, checking: Checking): Promise<Verdict | Refusal> {
  const scope = await scopeOf(change);
  if (isRefusal(scope)) return scope;
  const { repository, base, commit, reuse = true } = change;
  const { map, projection } = scope;
  const request = { repository, commit, map, checkIds: projection.requiredChecks, reuse };
  const report = await runChecks(request, checking);
  if (isRefusal(report)) return report;
  const classes = [...new Set(report.checks.flatMap(({ failureClass }) => failureClass ?? []))].sort();
  return {
    ...scope,
    ...report,
    base,
    accepted: report.checks.every(({ status }) => status === "passed"),
    operationalFailureClasses: classes.filter((each) => !semanticFailures.has(each)),
    semanticFailureClasses: classes.filter((each) => semanticFailures.has(each)),
  };
}

export async function scopeOf(change: Change): Promise<Scope | Refusal> {
  const { repository, base, commit, declaredTests, byPerson = false, everything = false } = change;
  const { top, git } = repository;
  const began = await mergeBase(top, base, commit, git);
  if (began === undefined) {
    return refuse("change_unknown", {
      message: `${commit.slice(0, 7)} did not grow from ${base.slice(0, 7)}, where the work began`,
      hint: "Is this the commit that you mean?",
    });
  }
  const map = await mapAtCommit(top, byPerson ? commit : began, git);
  if (isRefusal(map)) return map;
  const changes = (await changesBetween(top, began, commit, git)).filter(({ path }) => !isHarnessState(path));
  if (changes.length === 0 && !everything && change.mayBeEmpty !== true) {
    return refuse("no_change", {
      message: `${commit.slice(0, 7)} changes nothing since ${began.slice(0, 7)}`,
      hint: "Commit the work first. Where nothing had to be changed, a person closes the issue with `premath issue close`.",
    });
  }
  const protectedChanges = await tamperedPaths(map, changes, {
    declared: declaredTests,
    sidesOf: async (path) => [
      await fileAtCommit(top, began, path, git),
      await fileAtCommit(top, commit, path, git),
    ],
  });
  if (protectedChanges.length > 0 && !byPerson) return tampered(protectedChanges);
  const paths = changes.map(({ path }) => path);
  const projection = everything ? projectEverything(map, paths) : projectChecks(map, paths);
  if (projection.requiredChecks.length > 0) return { map, projection, changes, protectedChanges };
  return refuse("required_checks_missing", {
    message: `no check is required for ${paths.slice(0, 3).join(", ")}${paths.length > 3 ? ", …" : ""}, so nothing can be verified`,
    hint: "A person adds a rule to policies/control/required-checks-v1.json, or closes the issue with `premath issue close`.",
  });
}

function tampered(found: readonly Tampered[]): Refusal {
  const shown = found.slice(0, 5).map(({ path, by }) => `${path} (${by})`);
  const more = found.length > shown.length ? ` and ${found.length - shown.length} more` : "";
  return refuse("check_tampered", {
    message: `the change touches what its checks go by: ${shown.join(", ")}${more}`,
    hint: "Leave them as they were, or ask a person to look: they commit such a change themselves. A test may be changed when the issue says so before it is claimed: `premath issue update <id> --changes-test <path>`.",
    detail: { paths: found.map(({ path, by }) => ({ path, by })) },
  });
}
