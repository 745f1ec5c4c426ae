/** `premath harness-session bootstrap`: what a fresh process starts from. */
import { type Call, defineOperation, type Paint } from "@bridle/operation";
import { Failure } from "@bridle/record";
import * as Type from "typebox";
import { bootstrapOf, type FeatureProjection } from "../projection/bootstrap.js";
import { checkFeatures } from "../projection/feature-check.js";
import { openLedger } from "../projection/feature-ledger.js";
import { openSession } from "../projection/session.js";
import { Bootstrap } from "../types.js";
import {
  featureLedgerDefault,
  featureLedgerPlace,
  pathInput,
  type LocatedFile,
  rootInput,
  sessionDefault,
  sessionPlace,
} from "../calls/place.js";
import { issuesLine } from "./present-session.js";
import { sessionMissing } from "./session-missing.js";
import { factLines } from "./text-layout.js";

export const sessionBootstrap = defineOperation({
  names: {
    id: "op/harness.session_bootstrap",
    action: "harness.session.bootstrap",
    command: ["harness-session", "bootstrap"],
    tool: "harness_session_bootstrap",
  },
  family: "premath",
  effect: "read",
  surfaces: ["cli", "mcp", "scheme", "http"],
  summary: "Say where a fresh session picks the work up.",
  description:
    "`mode` is resume when the last session stopped and attach when it is still active. Needs nothing but the " +
    "session file and changes nothing. The feature fields come from the feature ledger of this worktree; they are " +
    "null, with a warning, when there is one that breaks its rules.",
  examples: [
    { command: "premath harness-session bootstrap", says: "what to go on with" },
    { command: "premath harness-session bootstrap --json", says: "the same for a program" },
  ],
  input: Type.Object(
    {
      path: pathInput("The session file", sessionDefault),
      featureLedger: pathInput("The feature ledger", featureLedgerDefault),
      root: rootInput,
    },
    { additionalProperties: false },
  ),
  output: Bootstrap,
  async run(input, call) {
    const place = await sessionPlace(input, call);
    const document = await openSession({ ...place, ports: call.ports });
    const session = await document.read();
    if (session === undefined) return sessionMissing(place);
    const { featureLedger, root } = input;
    const ledger = await featureLedgerPlace(
      {
        ...(featureLedger === undefined ? {} : { path: featureLedger }),
        ...(root === undefined ? {} : { root }),
      },
      call,
    );
    const found = await projectFeatures(ledger, call);
    return bootstrapOf(session, {
      sessionRef: place.shown,
      featureLedgerRef: found === undefined ? undefined : ledger.shown,
      features: found === "untrusted" ? undefined : found,
    });
  },
  present(bootstrap, paint) {
    const { mode, sessionId } = bootstrap;
    const since =
      mode === "resume" ? `stopped at ${bootstrap.stoppedAt ?? bootstrap.updatedAt}` : "still active";
    return factLines(
      [
        [mode, `${paint.strong(sessionId)} ${paint.dim(since)}`],
        ["issue", bootstrap.resumeIssueId],
        ["summary", bootstrap.summary],
        ["next step", bootstrap.nextStep],
        ["instructions", bootstrap.instructionRefs],
        ["witnesses", bootstrap.witnessRefs],
        ["lineage", bootstrap.lineageRefs],
        ["issues", issuesLine(bootstrap, paint)],
        ["features", featuresLine(bootstrap, paint)],
        ["file", bootstrap.sessionRef],
      ],
      paint,
    ).join("\n");
  },
});

/**
 * What the ledger says, undefined when there is none. One that cannot be trusted
 * must not keep a fresh session from starting: it is named, and the session goes on.
 */
async function projectFeatures(
  { path, shown }: LocatedFile,
  call: Call,
): Promise<FeatureProjection | "untrusted" | undefined> {
  const distrust = (problem: string) => {
    call.warn(
      `${problem}.\nThe feature fields are null; see \`premath harness-feature check\`. Nothing was changed.`,
    );
    return "untrusted" as const;
  };
  try {
    const document = await openLedger({ path, shown, ports: call.ports });
    const ledger = await document.read();
    if (ledger === undefined) return undefined;
    const { failureClasses, summary, nextFeatureId } = checkFeatures(ledger);
    if (failureClasses.length > 0) return distrust(`${shown} is rejected: ${failureClasses.join(", ")}`);
    const { closureComplete, featureCount } = summary;
    return { nextFeatureId, closureComplete, featureCount };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return distrust(`${error.message} (${error.failureClass})`);
  }
}

function featuresLine(bootstrap: Bootstrap, paint: Paint): string | undefined {
  const { featureLedgerRef, featureCount, nextFeatureId, featureClosureComplete } = bootstrap;
  if (featureLedgerRef === null) return undefined;
  if (featureCount === null) return featureLedgerRef;
  const stand =
    nextFeatureId === null
      ? featureClosureComplete === true
        ? "all completed"
        : "nothing but blocked ones"
      : `next ${nextFeatureId}`;
  return `${featureCount}, ${stand} ${paint.dim(featureLedgerRef)}`;
}
