import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodePorts } from "@bridle/record";
import { VirtualClock } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import { addIssue } from "../memory/edit/add.js";
import { MemoryIssues } from "../store/memory-issues.js";
import { issueInContext } from "./issue-context.js";

const session = (issueId: string) =>
  JSON.stringify({
    ...{ schema: 1, sessionKind: "premath.harness.session.v1", sessionId: "hs1_x", state: "active", issueId },
    ...{ startedAt: "2026-01-31T00:00:00Z", updatedAt: "2026-01-31T00:00:00Z" },
    issuesPath: ".premath/issues.jsonl",
  });

async function context(given: {
  readonly env?: Record<string, string>;
  readonly session?: string;
  readonly ready?: number;
}) {
  const root = newFolder();
  mkdirSync(join(root, ".premath"));
  if (given.session !== undefined) writeFileSync(join(root, ".premath/harness_session.json"), given.session);
  writeFileSync(join(root, "other.json"), session("bd-77"));
  const store = new MemoryIssues({ clock: new VirtualClock() });
  for (let i = 0; i < (given.ready ?? 0); i++) await store.change(addIssue({ title: "x" }), { create: true });
  return issueInContext({ env: given.env ?? {}, root, ports: nodePorts(), store });
}

describe("[TUSK-9.2] [RUNTIME-1.1.15] the issue in context", () => {
  it("is the one that the environment names, the active one before the other", async () => {
    const all = { session: session("bd-5"), ready: 1 };
    const env = { PREMATH_ACTIVE_ISSUE_ID: " bd-3 ", PREMATH_ISSUE_ID: "bd-3" };
    expect(await context({ ...all, env })).toEqual({
      issueId: "bd-3",
      source: "env:PREMATH_ACTIVE_ISSUE_ID",
    });
    expect(await context({ ...all, env: { PREMATH_ISSUE_ID: "bd-4" } })).toEqual({
      issueId: "bd-4",
      source: "env:PREMATH_ISSUE_ID",
    });
  });

  it("else the session's, the one that the environment names before the usual one", async () => {
    const all = { session: session("bd-5"), ready: 1 };
    expect(await context(all)).toEqual({
      issueId: "bd-5",
      source: "session:.premath/harness_session.json",
    });
    const env = { PREMATH_HARNESS_SESSION_PATH: "other.json" };
    expect(await context({ ...all, env })).toMatchObject({ issueId: "bd-77" });
  });

  it("else the only one that is ready", async () => {
    expect(await context({ ready: 1 })).toEqual({ issueId: "bd-1", source: "ready" });
    expect(await context({ ready: 1, session: session("") })).toMatchObject({ issueId: "bd-1" });
  });

  it.each<[string, Parameters<typeof context>[0], string]>([
    [
      "two names",
      { env: { PREMATH_ACTIVE_ISSUE_ID: "bd-1", PREMATH_ISSUE_ID: "bd-2" } },
      "escalation_issue_context_ambiguous",
    ],
    ["two that are ready", { ready: 2 }, "escalation_issue_context_ambiguous"],
    ["none at all", {}, "escalation_issue_context_unbound"],
    ["a session that is none", { session: "{", ready: 1 }, "escalation_session_invalid"],
    [
      "a session of another kind",
      { session: session("bd-5").replace("session.v1", "session.v9"), ready: 1 },
      "escalation_session_invalid",
    ],
    [
      "a session that cannot be read",
      { env: { PREMATH_HARNESS_SESSION_PATH: ".premath" }, ready: 1 },
      "escalation_session_read_failed",
    ],
  ])("is not guessed from %s", async (_what, given, failureClass) => {
    expect(await context(given)).toMatchObject({ refused: failureClass });
  });
});
