/** `premath harness-session bootstrap`: what a fresh process starts from. */
import { defineOperation } from "@bridle/operation";
import * as Type from "typebox";
import { bootstrapOf } from "../projection/bootstrap.js";
import { openSession } from "../projection/session.js";
import { Bootstrap } from "../types.js";
import {
  featureLedgerDefault,
  pathInput,
  placeOf,
  rootInput,
  sessionDefault,
  sessionPlace,
} from "./place.js";
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
    "session file and changes nothing. The three feature fields are null until the feature ledger is read.",
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
    const ledger = await placeOf(
      { flag: input.featureLedger, root: input.root, fallback: featureLedgerDefault },
      call,
    );
    const hasLedger = (await call.ports.files.stat(ledger.path))?.kind === "file";
    return bootstrapOf(session, {
      sessionRef: place.shown,
      featureLedgerRef: hasLedger ? ledger.shown : undefined,
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
        ["features", bootstrap.featureLedgerRef],
        ["file", bootstrap.sessionRef],
      ],
      paint,
    ).join("\n");
  },
});
