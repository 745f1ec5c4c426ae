/**
 * `premath transport-send`: an issue handed to another folder of this machine, by Squeak and the
 * destination's own gate (RUNTIME §1.2):
 *
 *     work context → packet → transport outcome → the destination's pipeline → refs on both sides
 *
 * That the packet arrived says nothing about whether the destination takes it: that is decided
 * there, by the same operation and the same gate as for any client of that folder. So somebody has
 * to have opened a lane there; whoever sends brings no authority along.
 */
import { basename, join, resolve } from "node:path";
import { type Call, defineOperation, type Envelope, outcomeOf, perform } from "@bridle/operation";
import {
  digest,
  formatSeconds,
  isRefusal,
  type JsonObject,
  locateRoot,
  refuse,
  type Refusal,
  sha256Hex,
} from "@bridle/record";
import * as Type from "typebox";
import { textsUnder } from "../evidence/coherence.js";
import { mutationGate } from "../gate/mutation-gate.js";
import type { Issue } from "../memory/types.js";
import { openSession } from "../projection/session.js";
import { newStep } from "../projection/step.js";
import { engineFor } from "../store/open.js";
import { locationOf, negotiate, parseWorld, usualWorld, type World, worldFile } from "../transport/world.js";
import { locationRef } from "../transport/location.js";
import { deliveredId, type Packet, packetOf, payloadRefOf, verifyPacket } from "../transport/packet.js";
import { issueAdd } from "./issue-add.js";
import { issuesInput, withMemory } from "../calls/issues.js";
import { sessionPlace, trajectoryDefault } from "../calls/place.js";

const Outcome = Type.Object({
  outcomeClass: Type.Enum(["transport", "gate"]),
  result: Type.Enum(["accepted", "rejected"]),
  failureClasses: Type.Array(Type.String()),
  ref: Type.String(),
  says: Type.Optional(Type.String({ description: "Why not, and what to do." })),
});

export const transportSend = defineOperation({
  names: {
    id: "op/transport.send",
    action: "transport.send",
    command: ["transport-send"],
    tool: "transport_send",
  },
  family: "premath",
  effect: "mutate",
  needs: "person",
  surfaces: ["cli"],
  summary: "Hand an issue to another folder of this machine.",
  description:
    "The two folders negotiate first, then a packet with an id of its own goes over, and the destination's own gate " +
    "decides whether it becomes an issue there, by the lane that is open there. Sent again, the same packet is answered the same. Both trajectories " +
    "keep both refs; the issue here stays as it is.",
  examples: [
    { command: "premath transport-send bd-5 --to ../api", says: "asks the project api to take bd-5" },
  ],
  input: Type.Object(
    {
      issueId: Type.String({
        minLength: 1,
        "x-position": 0,
        "x-placeholder": "id",
        description: "Which issue.",
      }),
      to: Type.String({
        minLength: 1,
        "x-placeholder": "folder",
        "x-path": true,
        description: "The folder that should take it.",
      }),
      ...issuesInput,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("transport.send"),
    result: Type.Enum(["accepted", "rejected"]),
    failureClasses: Type.Array(Type.String()),
    transportId: Type.String(),
    deliveredIssueId: Type.Union([Type.String(), Type.Null()]),
    changed: Type.Boolean({ description: "False when the same packet had been delivered before." }),
    outcomes: Type.Array(Outcome, { description: "Transport first, then the destination's gate." }),
    witnessRefs: Type.Array(Type.String()),
  }),
  run: (input, call) => sendIssue(input, call),
  present: ({ result, failureClasses, deliveredIssueId, changed, outcomes }, paint) =>
    result === "accepted"
      ? `  ${paint.good(changed ? "delivered" : "had been delivered")} as ${deliveredIssueId}`
      : [
          `  ${paint.bad("not taken")}: ${failureClasses.join(", ")}`,
          ...outcomes.flatMap(({ says }) => (says === undefined ? [] : [`  ${says}`])),
        ].join("\n"),
});

export interface SendRequest {
  readonly issueId: string;
  /** The folder that should take it. */
  readonly to: string;
  readonly issuesPath?: string;
  readonly root?: string;
}

/** Also for a worker whose issue says that it belongs elsewhere: who may take it is decided there. */
export async function sendIssue(input: SendRequest, call: Call) {
  const here = await rootOf(call, input.root);
  const there = resolve(call.cwd, input.to);
  if ((await call.ports.files.stat(there))?.kind !== "directory")
    return refuse("transport_context_unresolved", { message: `${input.to} is no folder` });
  if ((await call.ports.files.realPath(there)) === (await call.ports.files.realPath(here)))
    return refuse("transport_non_composable", { message: "source and destination are the same folder" });
  const issue = await issueHere(input, call);
  if (isRefusal(issue)) return issue;
  const sent = await send({ issue, here, there }, call);
  if (isRefusal(sent)) return sent;
  const { packet, payload } = sent;
  const transport = outcome("transport", `squeak://${packet.transportId}`, verifyPacket(packet, payload));
  const delivered = transport.result === "accepted" ? await deliver(packet, payload, there, call) : undefined;
  const outcomes = [transport, ...(delivered === undefined ? [] : [delivered.outcome])];
  const failureClasses = outcomes.flatMap((each) => each.failureClasses);
  const witnessRefs = outcomes.map(({ ref }) => ref).sort();
  const answer = {
    action: "transport.send" as const,
    result: failureClasses.length === 0 ? ("accepted" as const) : ("rejected" as const),
    failureClasses,
    transportId: packet.transportId,
    deliveredIssueId: failureClasses.length === 0 ? deliveredId(packet) : null,
    changed: delivered?.changed ?? false,
    outcomes,
    witnessRefs,
  };
  await record({ here, there, issueId: issue.id, packet, answer }, call);
  return answer;
}

function rootOf({ cwd, env, ports: { files } }: Call, root?: string): Promise<string> {
  return locateRoot({ files, cwd, env, ...(root === undefined ? {} : { root }) });
}

async function issueHere(
  input: { readonly issueId: string; readonly issuesPath?: string; readonly root?: string },
  call: Call,
): Promise<Issue | Refusal> {
  return withMemory(input, call, async (memory) => {
    const issue = (await memory.graph())?.get(input.issueId)?.issue;
    if (issue !== undefined && !("problem" in issue)) return issue;
    return refuse("transport_context_unresolved", { message: `issue not found: ${input.issueId}` });
  });
}

async function send(
  { issue, here, there }: { readonly issue: Issue; readonly here: string; readonly there: string },
  call: Call,
): Promise<{ readonly packet: Packet; readonly payload: JsonObject } | Refusal> {
  const [from, to] = [await worldAt(here, call), await worldAt(there, call)];
  if (isRefusal(from)) return from;
  if (isRefusal(to)) return to;
  const agreed = negotiate(from, to, "issue.add");
  if (isRefusal(agreed)) return agreed;
  const { id, title, description, design, acceptanceCriteria, priority, issueType } = issue;
  const payload: JsonObject = { title, description, design, acceptanceCriteria, priority, issueType };
  const packet = packetOf({
    srcWorldId: from.worldId,
    dstWorldId: to.worldId,
    srcLocationRef: locationRef(locationOf(from, basename(here))),
    dstLocationRef: locationRef(locationOf(to, basename(there))),
    srcContextId: id,
    srcCtxRef: `ctx://issue/${id}/${sha256Hex(payloadRefOf(payload)).slice(0, 16)}`,
    payloadKind: "obligation",
    payloadRef: payloadRefOf(payload),
    negotiationDigest: agreed.negotiationDigest,
  });
  return { packet, payload };
}

async function worldAt(folder: string, { ports: { files } }: Call): Promise<World | Refusal> {
  const text = await textsUnder(folder, files)(worldFile);
  if (text === undefined) return usualWorld;
  try {
    return parseWorld(JSON.parse(text) as JsonObject, join(folder, worldFile));
  } catch {
    return refuse("world_invalid", { message: `${join(folder, worldFile)} is not JSON` });
  }
}

/** Through the pipeline as it is there, on the lane that is open there. */
async function deliver(packet: Packet, payload: JsonObject, there: string, call: Call) {
  const id = deliveredId(packet);
  const given = Object.entries(payload).filter(([, value]) => value !== "");
  const { HOME, XDG_CONFIG_HOME } = call.env;
  const envelope: Envelope = await perform(
    issueAdd,
    { ...Object.fromEntries(given), id },
    {
      call: {
        ports: call.ports,
        signal: call.signal,
        cwd: there,
        env: { HOME, XDG_CONFIG_HOME },
        warn: (sentence) => call.warn(sentence),
        progress: (report) => call.progress(report),
      },
      authority: { surface: "cli", standing: { kind: "lane" } },
      gates: [mutationGate],
    },
  );
  const before = envelope.resultClass === "issue_exists";
  const classes = before ? [] : envelope.failureClasses;
  const ref = `gate://${packet.dstLocationRef}/${digest("sha256:", { id, classes: [...classes] }).slice(7, 23)}`;
  const told = outcomeOf(envelope);
  const says =
    before || told.kind !== "refused" ? {} : { says: [told.message, told.hint ?? ""].join(". ").trim() };
  return {
    outcome: { ...outcome("gate", ref), ...verdict(classes), ...says },
    changed: classes.length === 0 && !before,
  };
}

function outcome(outcomeClass: "transport" | "gate", ref: string, refusal?: Refusal) {
  return { outcomeClass, ref, ...verdict(refusal === undefined ? [] : [refusal.refused]) };
}

function verdict(failureClasses: readonly string[]) {
  const result = failureClasses.length === 0 ? ("accepted" as const) : ("rejected" as const);
  return { result, failureClasses };
}

interface Recording {
  readonly here: string;
  readonly there: string;
  readonly issueId: string;
  readonly packet: Packet;
  readonly answer: {
    readonly result: string;
    readonly failureClasses: readonly string[];
    readonly witnessRefs: readonly string[];
    readonly deliveredIssueId: string | null;
  };
}

/** One row a packet on each side, whatever became of it, and the refs in the session where there is one. */
async function record({ here, there, issueId, packet, answer }: Recording, call: Call): Promise<void> {
  const { ports } = call;
  const finishedAt = formatSeconds(await ports.clock.now());
  const refs = { witnessRefs: answer.witnessRefs, lineageRefs: [packet.srcCtxRef] };
  const sides = [
    { folder: here, id: issueId as string | null, action: "squeak.send" },
    { folder: there, id: answer.deliveredIssueId, action: "squeak.receive" },
  ];
  for (const { folder, id, action } of sides) {
    // A folder that refused has nothing to remember.
    if (id === null) continue;
    const resultClass = answer.failureClasses[0] ?? "accepted";
    const step = newStep({
      ...{ action, finishedAt, issueId: id, resultClass, failureClasses: answer.failureClasses, ...refs },
      // What was refused once and then taken is two rows; what was sent twice is one.
      stepId: `${packet.transportId}.${resultClass}`,
    });
    if (isRefusal(step)) throw new Error(step.message);
    const steps = await engineFor(ports).steps({
      path: join(folder, trajectoryDefault),
      ports,
      signal: call.signal,
    });
    await steps.append(step, { durability: "synced", once: true });
    await steps.close();
  }
  const place = await sessionPlace({ root: here }, call);
  const session = await openSession({ ...place, ports, signal: call.signal });
  if ((await session.read())?.issueId !== issueId) return;
  await session.change(async (current) => ({
    ...current!,
    witnessRefs: [...new Set([...(current?.witnessRefs ?? []), ...refs.witnessRefs])].sort(),
    lineageRefs: [...new Set([...(current?.lineageRefs ?? []), ...refs.lineageRefs])].sort(),
    updatedAt: finishedAt,
  }));
}
