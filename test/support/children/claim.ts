/**
 * A worker: claims what is next, works under its fence, and closes, releases or
 * forgets it, until every issue is closed.
 *
 * It writes down what it is about to do before it does it, and what it was
 * answered after, in a journal that is synced line by line. Started again under
 * its name after a death, it first repeats what it never got an answer to. It
 * stops itself now and then, after a claim or inside a decision, and says so
 * before; whoever started it wakes it up.
 */
import { closeSync, constants, existsSync, openSync, readFileSync, writeSync } from "node:fs";
import { Failure, isRefusal, nodePorts, parseInstant, type Ports, type Refusal } from "@bridle/record";
import { Random } from "@bridle/testing";
import type { IssueGraph } from "../../../packages/work/src/memory/graph.js";
import { instantMs, patchRow, type RowPatch } from "../../../packages/work/src/memory/issue-row.js";
import { claim, guardHolder, release, renew } from "../../../packages/work/src/memory/lease.js";
import type { IssueNode } from "../../../packages/work/src/memory/node.js";
import { IssueMemory } from "../../../packages/work/src/store/issue-file.js";
import type { Decide, Outcome } from "../../../packages/work/src/memory/types.js";
import { args, done, say } from "../child-kit.js";
import {
  type Answered,
  type Begun,
  type Deed,
  type JournalLine,
  readStep,
  type Step,
  stepText,
} from "../claim-history.js";
import { mortalFiles } from "../mortal.js";

export interface ClaimArgs {
  readonly path: string;
  readonly journal: string;
  readonly name: string;
  readonly seed: number;
  /** Opens issue memory anew for every change, as a command does. */
  readonly openEach: boolean;
  /** How likely it dies at each write and sync of the issues. */
  readonly deaths: number;
  /** It stops itself after every so-and-so-manieth claim, and inside every so-and-so-manieth decision; 0 for never. */
  readonly stopAfter: number;
  readonly stopInside: number;
  readonly lockWaitMsMax: number;
  /** Some ask for longer than a second, so that the work gets done also where a turn takes most of one. */
  readonly longLeaseMs: number;
  /** How likely it asks for a second only. */
  readonly shortLeases: number;
  /** How likely it compacts the file before a claim. */
  readonly compactions: number;
  /** A planted bug: it looks at no fence. */
  readonly careless?: boolean;
}

interface Wish {
  readonly token: string;
  readonly deed: Deed;
  readonly issue?: string;
  readonly fence?: number;
}

/** No step: there is nothing to claim. */
interface Effect {
  readonly issue?: string;
  readonly step?: Step;
  readonly unclosed?: number;
}

const options = args<ClaimArgs>();
const { path, name } = options;
const random = new Random(options.seed);
const real = nodePorts();
const ports: Ports = {
  ...real,
  files: mortalFiles(real.files, random, (deed, at) =>
    at === path && (deed === "append" || deed === "sync") ? options.deaths : 0,
  ),
};
const { O_APPEND, O_CREAT, O_DSYNC, O_WRONLY } = constants;
const leaseMs = 1_000;

const earlier = readJournal();
const book = openSync(options.journal, O_APPEND | O_CREAT | O_WRONLY | O_DSYNC, 0o644);
const write = (line: JournalLine) => writeSync(book, `${JSON.stringify(line)}\n`);
const nowUs = () => Number(process.hrtime.bigint() / 1000n);
let serial = earlier.reduce((last, { token }) => Math.max(last, Number(token.split("-").at(-1))), 0);
let claims = random.below(Math.max(1, options.stopAfter));
/** The first stop inside comes soon, so that also a worker with a short life has one. */
let decisions = Math.max(0, options.stopInside - 10);

function readJournal(): JournalLine[] {
  if (!existsSync(options.journal)) return [];
  const text = readFileSync(options.journal, "utf8");
  const lines = text.split("\n");
  // Torn by a death; what it would have said is in doubt, which is what a missing line means.
  const torn = lines.pop();
  if (torn !== "" && torn !== undefined) {
    const fd = openSync(options.journal, O_APPEND | O_WRONLY);
    writeSync(fd, "\n");
    closeSync(fd);
  }
  return lines.flatMap((line) => parsed(line) ?? []);
}

function parsed(line: string): JournalLine | undefined {
  try {
    return JSON.parse(line) as JournalLine;
  } catch {
    return undefined;
  }
}

// --- Deciding --------------------------------------------------------------------------------------

function decideOn(wish: Wish): Decide<Effect> {
  return (graph, nowMs) => {
    if (options.stopInside > 0 && ++decisions % options.stopInside === 0) stopHere("inside");
    return wish.deed === "claim" ? claimNext(graph, wish, nowMs) : changeHeld(graph, wish, nowMs);
  };
}

function claimNext(graph: IssueGraph, { token }: Wish, nowMs: number): Outcome<Effect> | Refusal {
  const claimed = graph.claimedBy(token);
  if (claimed !== undefined) return again(claimed, token);
  const node = graph.claimable(name, nowMs);
  if (node === undefined) {
    const unclosed = [...graph.nodes()].filter(({ closed }) => !closed).length;
    return { answer: { unclosed }, rows: [] };
  }
  const issue = issueOf(node);
  const leaseExpiresAt = new Date(
    nowMs + (random.chance(options.shortLeases) ? leaseMs : options.longLeaseMs),
  ).toISOString();
  const change = claim(issue, node.text, { assignee: name, requestId: token, leaseExpiresAt }, nowMs);
  if (isRefusal(change)) return change;
  const { fence, lease } = change.claim;
  return effect(node, change.patch, {
    deed: "claim",
    token,
    fence,
    atMs: nowMs,
    endMs: msOf(lease.expiresAt),
  });
}

function changeHeld(graph: IssueGraph, wish: Wish, nowMs: number): Outcome<Effect> | Refusal {
  const { deed, token, issue: id = "", fence = 0 } = wish;
  const node = graph.get(id);
  if (node === undefined) throw new Error(`${id} is gone`);
  if (stepOf(node, token) !== undefined) return again(node, token);
  const issue = issueOf(node);
  const now = new Date(nowMs).toISOString();
  const named = options.careless === true ? {} : { fence };
  const step = (endMs: number): Step => ({ deed, token, fence, atMs: nowMs, endMs });
  const leaseEndMs = node.leaseEndMs ?? 0;
  if (deed === "renew") {
    const leaseExpiresAt = new Date(nowMs + leaseMs).toISOString();
    const leaseId = issue.lease?.leaseId ?? "";
    const change = renew(issue, node.text, { assignee: name, leaseId, leaseExpiresAt, ...named }, nowMs);
    return isRefusal(change) ? change : effect(node, change.patch, step(nowMs + leaseMs));
  }
  if (deed === "release") {
    const change = release(issue, { ...named }, nowMs);
    return isRefusal(change) ? change : effect(node, change.patch, step(0));
  }
  const refusal = options.careless === true ? undefined : guardHolder(issue, { actor: name, fence }, nowMs);
  if (refusal !== undefined) return refusal;
  if (deed === "update") {
    return effect(node, { work: `${name} ${fence}`, updated_at: now }, step(leaseEndMs));
  }
  const closing = { status: "closed", lease: undefined, closed_at: now, updated_at: now };
  return effect(node, closing, step(0));
}

function effect(node: IssueNode, patch: RowPatch, step: Step): Outcome<Effect> {
  const row = patchRow(node.id, node.text, { ...patch, trail: [...trailOf(node), stepText(step)] });
  return { answer: { issue: node.id, step }, rows: [row] };
}

/** It was done before the answer was lost. */
function again(node: IssueNode, token: string): Outcome<Effect> {
  const step = stepOf(node, token);
  if (step === undefined) throw new Error(`${node.id} knows the request ${token}, but its trail does not`);
  return { answer: { issue: node.id, step }, rows: [] };
}

function stepOf(node: IssueNode, token: string): Step | undefined {
  return trailOf(node)
    .map(readStep)
    .find((step) => step.token === token);
}

function trailOf({ row: { trail } }: IssueNode): string[] {
  return Array.isArray(trail) ? (trail as string[]) : [];
}

function issueOf({ issue }: IssueNode) {
  if ("problem" in issue) throw new Error(issue.problem);
  return issue;
}

function msOf(time: string): number {
  const instant = parseInstant(time);
  if (instant === undefined) throw new Error(`${time} is no time`);
  return instantMs(instant);
}

// --- Acting ----------------------------------------------------------------------------------------

let kept: IssueMemory | undefined;

async function change(decide: Decide<Effect>): Promise<Effect | Refusal> {
  return withMemory((memory) => memory.change(decide));
}

async function withMemory<Result>(act: (memory: IssueMemory) => Promise<Result>): Promise<Result> {
  const memory = kept ?? (await IssueMemory.open({ path, ports, lockWaitMsMax: options.lockWaitMsMax }));
  if (!options.openEach) kept = memory;
  try {
    return await act(memory);
  } finally {
    if (options.openEach) await memory.close();
  }
}

async function carryOut(wish: Wish, isRepeated = false): Promise<Effect | Refusal> {
  const begun: Begun = { kind: "begin", us: nowUs(), ...wish };
  if (!isRepeated) write(begun);
  say(`begin ${wish.deed}`);
  const outcome = await change(decideOn(wish));
  const answer: Answered = { kind: "answer", token: wish.token, us: nowUs(), ...answered(outcome) };
  write(answer);
  return outcome;
}

function answered(outcome: Effect | Refusal): Partial<Answered> {
  if (isRefusal(outcome)) return { refused: outcome.refused };
  const { issue, step } = outcome;
  if (issue === undefined || step === undefined) return {};
  return { issue, fence: step.fence, atMs: step.atMs, endMs: step.endMs };
}

function stopHere(where: string): void {
  say(`stops ${where}`);
  process.kill(process.pid, "SIGSTOP");
}

const newToken = () => `${name}-${++serial}`;

/** Whether there is more to do. */
async function workOnce(): Promise<boolean> {
  if (random.chance(options.compactions)) await withMemory((memory) => memory.compact());
  const claimed = await carryOut({ token: newToken(), deed: "claim" });
  if (isRefusal(claimed)) throw new Error(`a claim of what is claimable was refused: ${claimed.message}`);
  const { issue, step, unclosed } = claimed;
  if (issue === undefined || step === undefined) {
    if (unclosed === 0) return false;
    // Somebody's lease must end first.
    await ports.clock.sleep(random.between(100, 300));
    return true;
  }
  say(`claimed ${issue} ${step.fence}`);
  const held = { issue, fence: step.fence };
  const short = step.endMs - step.atMs <= leaseMs;
  if (short && options.stopAfter > 0 && ++claims % options.stopAfter === 0) {
    // It works for a while first: a log that was just used keeps its lock for some milliseconds.
    await ports.clock.sleep(random.between(5, 50));
    stopHere("after a claim");
  }
  const deeds: Deed[] = ["update"];
  if (random.chance(0.1)) deeds.push("renew");
  const end = random.below(100);
  if (end < 78) deeds.push("close");
  else if (end < 88) deeds.push("release");
  else if (!short) deeds.push("close");
  for (const deed of deeds) {
    const outcome = await carryOut({ token: newToken(), deed, ...held });
    // Somebody took over, or the lease ended under a renewal: hands off.
    if (isRefusal(outcome)) {
      say(`refused ${outcome.refused}`);
      break;
    }
  }
  return true;
}

try {
  const open = new Map<string, Wish>();
  for (const line of earlier) {
    if (line.kind === "answer") open.delete(line.token);
    else open.set(line.token, line);
  }
  for (const { token, deed, issue, fence } of open.values()) {
    const where = issue === undefined || fence === undefined ? {} : { issue, fence };
    await carryOut({ token, deed, ...where }, true);
  }
  while (await workOnce());
  await kept?.close();
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  say(`failed ${error.failureClass} ${String(error.detail?.["pid"])}`);
  process.exit(3);
}
done();
