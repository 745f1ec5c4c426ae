/**
 * What many workers did to shared issues, and whether it can have happened.
 *
 * Two witnesses that know nothing of each other: each worker's journal, with
 * what it wanted to do, what it was answered and when (on the machine's one
 * monotonic clock); and the issues themselves, whose rows carry a trail of every
 * change that took effect, in order. Compaction drops old rows, but each change
 * extends the trail, so the last row still tells it all.
 */
export const deeds = ["claim", "update", "renew", "release", "close"] as const;
export type Deed = (typeof deeds)[number];

/** One change that took effect, as it stands in the trail of an issue. */
export interface Step {
  readonly deed: Deed;
  /** `<worker>-<number>`; also the request id of a claim. */
  readonly token: string;
  readonly fence: number;
  /** The time that it was decided at, and when the lease ends from then on: milliseconds since 1970. */
  readonly atMs: number;
  readonly endMs: number;
}

export interface IssueAtEnd {
  readonly id: string;
  readonly fence: number;
  readonly status: string;
  readonly work?: string;
  readonly trail: readonly Step[];
}

/** Microseconds of the monotonic clock. */
export interface Begun {
  readonly kind: "begin";
  readonly token: string;
  readonly deed: Deed;
  readonly us: number;
  /** Of a claim it is not known yet. */
  readonly issue?: string;
  readonly fence?: number;
}

export interface Answered {
  readonly kind: "answer";
  readonly token: string;
  readonly us: number;
  /** A claim that found nothing has none. */
  readonly issue?: string;
  readonly fence?: number;
  readonly atMs?: number;
  readonly endMs?: number;
  /** The class of the refusal. */
  readonly refused?: string;
}

export type JournalLine = Begun | Answered;

export interface History {
  readonly journal: readonly JournalLine[];
  readonly issues: readonly IssueAtEnd[];
}

export interface Verdict {
  /** What cannot have happened, a sentence each. */
  readonly findings: string[];
  readonly claims: number;
  /** Claims of an issue whose last holder had neither closed nor released it. */
  readonly reclaims: number;
  readonly changes: number;
  /** Changes of which nobody was told whether they took effect. */
  readonly inDoubt: number;
  readonly inDoubtTookEffect: number;
  readonly staleRefused: number;
}

interface Change {
  readonly token: string;
  readonly deed: Deed;
  /** When it was first tried, in the journal of its worker. */
  readonly fromUs: number;
  readonly issue?: string;
  readonly fence?: number;
  answer?: Answered;
}

export const stepText = ({ deed, token, fence, atMs, endMs }: Step): string =>
  `${deed} ${token} ${fence} ${atMs} ${endMs}`;

export function readStep(text: string): Step {
  const [deed = "", token = "", fence, atMs, endMs] = text.split(" ");
  return { deed: deed as Deed, token, fence: Number(fence), atMs: Number(atMs), endMs: Number(endMs) };
}

export const workerOf = (token: string): string => token.slice(0, token.lastIndexOf("-"));

export function judgeHistory({ journal, issues }: History): Verdict {
  const findings: string[] = [];
  const changes = changesOf(journal, findings);
  const steps = new Map<string, Step & { readonly issue: string }>();
  for (const issue of issues) {
    judgeTrail(issue, changes, findings);
    for (const step of issue.trail) {
      const earlier = steps.get(step.token);
      if (earlier !== undefined)
        findings.push(`${step.token} took effect twice, on ${earlier.issue} and on ${issue.id}`);
      steps.set(step.token, { ...step, issue: issue.id });
    }
  }
  for (const change of changes.values()) judgeAnswer(change, steps.get(change.token), findings);
  judgeJournalAlone([...changes.values()], findings);

  const claims = [...steps.values()].filter(({ deed }) => deed === "claim").length;
  const all = [...changes.values()];
  const open = all.filter(({ answer }) => answer === undefined);
  return {
    findings,
    claims,
    reclaims: issues.reduce((sum, issue) => sum + reclaimsOf(issue), 0),
    changes: steps.size,
    inDoubt: open.length,
    inDoubtTookEffect: open.filter(({ token }) => steps.has(token)).length,
    staleRefused: all.filter(({ answer }) => answer?.refused === "lease_fence_stale").length,
  };
}

function changesOf(journal: readonly JournalLine[], findings: string[]): Map<string, Change> {
  const changes = new Map<string, Change>();
  for (const line of journal) {
    if (line.kind !== "begin" || changes.has(line.token)) continue;
    const { token, deed, us, issue, fence } = line;
    changes.set(token, {
      token,
      deed,
      fromUs: us,
      ...(issue === undefined ? {} : { issue }),
      ...(fence === undefined ? {} : { fence }),
    });
  }
  for (const line of journal) {
    if (line.kind !== "answer") continue;
    const change = changes.get(line.token);
    if (change === undefined) findings.push(`${line.token} was answered, but never tried`);
    else change.answer = line;
  }
  return changes;
}

/** What took effect on one issue, in order: does each follow from the one before? */
function judgeTrail(issue: IssueAtEnd, changes: Map<string, Change>, findings: string[]): void {
  const found = (what: string, { deed, token, fence }: Step) =>
    findings.push(`${issue.id}: ${what}: ${deed} by ${token} with fence ${fence}`);
  let fence = 0;
  let closed = false;
  let lease: { readonly owner: string; readonly endMs: number } | undefined;
  let work: string | undefined;
  for (const step of issue.trail) {
    const owner = workerOf(step.token);
    const change = changes.get(step.token);
    if (change === undefined || change.deed !== step.deed) found("nobody tried this", step);
    if (closed) found("changed after it was closed", step);
    const active = lease !== undefined && lease.endMs > step.atMs;
    if (step.deed === "claim") {
      if (step.fence !== fence + 1) found(`the fence is not one more than ${fence}`, step);
      if (active && lease?.owner !== owner) found(`claimed while ${lease?.owner} had a live lease`, step);
      fence = step.fence;
      lease = { owner, endMs: step.endMs };
      continue;
    }
    if (step.fence !== fence) found(`a stale write was accepted, the fence was ${fence}`, step);
    if (change?.fence !== step.fence) found(`it named fence ${change?.fence}`, step);
    if (step.deed === "renew") {
      if (!active || lease?.owner !== owner) found("renewed without a live lease", step);
      lease = { owner, endMs: step.endMs };
    }
    if (step.deed === "update") work = `${owner} ${step.fence}`;
    if (step.deed === "release" || step.deed === "close") lease = undefined;
    if (step.deed === "close") closed = true;
  }
  const claims = issue.trail.filter(({ deed }) => deed === "claim").length;
  if (issue.fence !== claims)
    findings.push(`${issue.id}: the fence is ${issue.fence} after ${claims} claims that took effect`);
  if ((issue.status === "closed") !== closed) findings.push(`${issue.id}: it is ${issue.status} at the end`);
  if (issue.work !== work)
    findings.push(`${issue.id}: the work is ${issue.work}, the last that was written is ${work}`);
  judgeOrder(issue, changes, findings);
}

/** A change that was answered before another began stands before it. */
function judgeOrder({ id, trail }: IssueAtEnd, changes: Map<string, Change>, findings: string[]): void {
  let earliest: { readonly token: string; readonly us: number } | undefined;
  for (const { token } of trail.toReversed()) {
    const change = changes.get(token);
    if (change === undefined) continue;
    if (earliest !== undefined && change.fromUs > earliest.us)
      findings.push(`${id}: ${token} stands before ${earliest.token}, but began after its answer`);
    const us = change.answer?.us;
    if (us !== undefined && (earliest === undefined || us < earliest.us)) earliest = { token, us };
  }
}

/** What a worker was told against what is there. */
function judgeAnswer(
  { token, deed, answer }: Change,
  step: (Step & { readonly issue: string }) | undefined,
  findings: string[],
): void {
  if (answer === undefined) return;
  if (answer.refused !== undefined || answer.issue === undefined) {
    if (answer.refused === undefined && deed !== "claim")
      findings.push(`${deed} by ${token} was neither done nor refused`);
    if (step !== undefined) findings.push(`${step.issue}: ${deed} by ${token} was refused, but took effect`);
    return;
  }
  if (step === undefined) {
    findings.push(`${answer.issue}: the acknowledged ${deed} by ${token} with fence ${answer.fence} is lost`);
    return;
  }
  if (step.issue !== answer.issue || step.fence !== answer.fence || step.endMs !== answer.endMs)
    findings.push(`${answer.issue}: the answer to ${token} is not what took effect: ${stepText(step)}`);
}

/** The same promises once more from the journals alone, as if the file could not be trusted. */
function judgeJournalAlone(changes: readonly Change[], findings: string[]): void {
  const byIssue = new Map<string, Change[]>();
  for (const change of changes) {
    const id = change.answer?.issue ?? change.issue;
    if (id === undefined || change.answer?.refused !== undefined) continue;
    const known = byIssue.get(id);
    if (known === undefined) byIssue.set(id, [change]);
    else known.push(change);
  }
  for (const [id, list] of byIssue) judgeIssueByJournals(id, list, findings);
}

function judgeIssueByJournals(id: string, changes: readonly Change[], findings: string[]): void {
  const fenceOf = ({ answer, fence }: Change) => answer?.fence ?? fence ?? 0;
  const atMsOf = ({ answer }: Change) => answer?.atMs ?? 0;
  const claims = changes
    .filter(({ deed, answer }) => deed === "claim" && answer !== undefined)
    .toSorted((left, right) => fenceOf(left) - fenceOf(right));
  for (const [i, next] of claims.entries()) {
    const held = claims[i - 1];
    if (held === undefined || next.answer === undefined) continue;
    const under = changes.filter((change) => change.deed !== "claim" && fenceOf(change) === fenceOf(held));
    if (fenceOf(held) === fenceOf(next))
      findings.push(`${id}: ${held.token} and ${next.token} were both given fence ${fenceOf(next)}`);
    const terms = [held, ...under.filter(({ deed }) => deed === "renew")];
    // A renewal can also shorten a lease, so the last one counts.
    const term = terms.reduce((last, each) => (atMsOf(each) >= atMsOf(last) ? each : last));
    const mayHaveEnded = under.some(
      ({ deed, fromUs, answer }) =>
        (deed === "release" || deed === "close" || (deed === "renew" && answer === undefined)) &&
        fromUs < (next.answer?.us ?? 0),
    );
    const live = !mayHaveEnded && (term.answer?.endMs ?? 0) > atMsOf(next);
    if (live && workerOf(held.token) !== workerOf(next.token))
      findings.push(`${id}: ${next.token} was given a claim under the live lease of ${held.token}`);
  }
  for (const write of changes) {
    if (write.deed === "claim" || write.answer === undefined) continue;
    const overtaker = claims.find(
      (claim) => fenceOf(claim) > fenceOf(write) && (claim.answer?.us ?? Infinity) < write.fromUs,
    );
    if (overtaker !== undefined)
      findings.push(`${id}: the stale write ${write.token} was acknowledged after ${overtaker.token}`);
  }
}

function reclaimsOf({ trail }: IssueAtEnd): number {
  let [reclaims, held] = [0, false];
  for (const { deed } of trail) {
    if (deed === "claim" && held) reclaims++;
    if (deed === "claim") held = true;
    if (deed === "release" || deed === "close") held = false;
  }
  return reclaims;
}
