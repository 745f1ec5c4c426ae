/** What an update makes of a session, and what a session file may hold. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, nodePorts, normalizeRefs } from "@bridle/record";
import fc from "fast-check";
import { Compile } from "typebox/schema";
import { describe, expect, it } from "vitest";
import { classOf, rejectsWith } from "../../../../test/support/failure.js";
import { newFolder } from "../../../../test/support/folder.js";
import { holds, holdsAsync } from "../../../../test/support/property.js";
import { Session } from "../types.js";
import {
  checkSession,
  mergeSession,
  openSession,
  sessionMembers,
  type SessionSurroundings,
  type SessionUpdate,
} from "./session.js";

const ports = nodePorts();
const fits = Compile(Session);
const surroundings = (now = "2026-01-31T09:30:00Z", issuesSnapshotRef?: string): SessionSurroundings => ({
  now,
  issuesPath: ".premath/issues.jsonl",
  issuesSnapshotRef,
});
const first = mergeSession(
  undefined,
  {
    state: "active",
    issueId: "bd-1",
    summary: "half way",
    nextStep: "the other half",
    instructionRefs: ["i"],
    witnessRefs: ["w"],
    lineageRefs: ["ctx://issue/bd-1/x"],
  },
  surroundings("2026-01-31T09:00:00Z", "iss1_aa"),
);
const merged = (current: Session | undefined, update: SessionUpdate) =>
  mergeSession(current, update, surroundings("2026-01-31T10:00:00Z"));
const later = (update: SessionUpdate) => merged(first, update);

const refList = ["instructionRefs", "witnessRefs", "lineageRefs"] as const;
const blank = fc.constantFrom("", " ", "\t\n");
const text = fc.oneof(blank, fc.string({ maxLength: 12 }), fc.constantFrom("bd-1", " bd-1 ", "bd-2", "é 𝒳"));
const refs = fc.array(fc.oneof(text, fc.constantFrom("a", " a", "b ", "𝒳", "\uffff")), { maxLength: 5 });
const updates: fc.Arbitrary<SessionUpdate> = fc.record(
  {
    sessionId: text,
    state: fc.constantFrom("active" as const, "stopped" as const),
    issueId: text,
    summary: text,
    nextStep: text,
    instructionRefs: refs,
    witnessRefs: refs,
    lineageRefs: refs,
  },
  { requiredKeys: [] },
);
const sessions: fc.Arbitrary<Session> = fc
  .array(updates, { minLength: 1, maxLength: 3 })
  .map((chain) => chain.reduce<Session | undefined>((session, update) => merged(session, update), undefined))
  .map((session) => session as Session);

describe("an update", () => {
  it("makes a whole session out of nothing [TUSK-11.7] [RUNTIME-4.1]", () => {
    expect(merged(undefined, {})).toEqual({
      schema: 1,
      sessionKind: "premath.harness.session.v1",
      sessionId: "hs1_20260131T100000Z",
      state: "stopped",
      startedAt: "2026-01-31T10:00:00Z",
      updatedAt: "2026-01-31T10:00:00Z",
      stoppedAt: "2026-01-31T10:00:00Z",
      issuesPath: ".premath/issues.jsonl",
    });
  });

  it.each([
    ["bd-14", "hs1_20260131T100000Z_bd-14"],
    ["BD 14/é", "hs1_20260131T100000Z_bd_14"],
    ["__x__", "hs1_20260131T100000Z_x"],
    ["€€", "hs1_20260131T100000Z_session"],
  ])("names a new session for issue %s after the time and the issue", (issueId, sessionId) => {
    expect(merged(undefined, { issueId }).sessionId).toBe(sessionId);
  });

  it("keeps the id unless another one is given, and a blank one is none [TUSK-11.25] [RUNTIME-4.5]", () => {
    expect(later({}).sessionId).toBe(first.sessionId);
    expect(later({ sessionId: " \t" }).sessionId).toBe(first.sessionId);
    expect(later({ sessionId: " hs1_mine " }).sessionId).toBe("hs1_mine");
  });

  it("keeps the start and refreshes the update [TUSK-11.26] [TUSK-11.27] [RUNTIME-4.6]", () => {
    expect(later({})).toMatchObject({ startedAt: "2026-01-31T09:00:00Z", updatedAt: "2026-01-31T10:00:00Z" });
  });

  it("keeps what is not named and removes what is named blank [TUSK-11.29] [RUNTIME-4.8]", () => {
    holds(
      fc.property(sessions, updates, (current, update) => {
        const next = merged(current, update);
        const moved = current.issueId !== undefined && next.issueId !== current.issueId;
        for (const member of ["summary", "nextStep", "issueId"] as const) {
          const given = update[member];
          // Of the issue that it was on: another one begins without.
          const kept = moved && member !== "issueId" ? undefined : current[member];
          expect(next[member]).toBe(given === undefined ? kept : given.trim() || undefined);
        }
      }),
    );
  });

  it("takes a list that is named for the whole list, and none for no change [TUSK-11.11] [TUSK-11.12] [TUSK-11.14]", () => {
    holds(
      fc.property(sessions, updates, (current, { issueId: _, ...update }) => {
        const next = merged(current, update);
        for (const member of refList) {
          const given = update[member];
          const expected = given === undefined || given.length === 0 ? current[member] : normalizeRefs(given);
          expect(next[member] ?? []).toEqual(expected ?? []);
          expect(next[member]).not.toEqual([]);
        }
      }),
    );
  });

  it("does not carry an issue's refs over to another issue", () => {
    const moved = later({ issueId: "bd-2", witnessRefs: ["w2"] });
    expect(moved).toMatchObject({ issueId: "bd-2", witnessRefs: ["w2"] });
    expect(moved).not.toHaveProperty("instructionRefs");
    expect(moved).not.toHaveProperty("lineageRefs");
  });

  it("drops them too when the issue is cleared, and keeps them when it is named again or not at all", () => {
    for (const member of refList) {
      expect(later({ issueId: " " })).not.toHaveProperty(member);
      expect(later({ issueId: " bd-1 " })[member]).toEqual(first[member]);
      expect(later({})[member]).toEqual(first[member]);
    }
  });

  it("keeps refs that belonged to no issue when the session takes one up", () => {
    const loose = merged(undefined, { instructionRefs: ["plan"] });
    expect(merged(loose, { issueId: "bd-1" }).instructionRefs).toEqual(["plan"]);
  });

  it("notes when it stopped, and forgets it when it is active again [TUSK-11.15] [TUSK-11.8]", () => {
    const stopped = later({});
    expect(stopped).toMatchObject({ state: "stopped", stoppedAt: "2026-01-31T10:00:00Z" });
    expect(merged(stopped, { state: "active" })).not.toHaveProperty("stoppedAt");
  });

  it("takes the snapshot ref of now, or none, never an old one", () => {
    expect(first.issuesSnapshotRef).toBe("iss1_aa");
    expect(later({})).not.toHaveProperty("issuesSnapshotRef");
  });

  it("is normalised, in the order of the file, and fits the published schema [RUNTIME-4.7] [TUSK-11.10] [RUNTIME-4.4]", () => {
    holds(
      fc.property(sessions, updates, (current, update) => {
        const next = merged(current, update);
        expect(checkSession(next as unknown as JsonObject, "s")).toEqual(next);
        expect(merged(next, { state: next.state })).toEqual(next);
        expect(fits.Check(next)).toBe(true);
        expect(Object.keys(next)).toEqual(sessionMembers.filter((member) => member in next));
      }),
    );
  });
});

describe("a session file", () => {
  const file = (change: object) => ({ ...first, ...change }) as unknown as JsonObject;
  const messageOf = (change: object): string => {
    try {
      checkSession(file(change), ".premath/harness_session.json");
    } catch (error) {
      return (error as Error).message;
    }
    return "accepted";
  };

  it("of another kind is refused, by kind [TUSK-11.5]", () => {
    expect(messageOf({ sessionKind: "x" })).toBe(
      '.premath/harness_session.json: sessionKind is "x", expected "premath.harness.session.v1"; ' +
        "was this file written by another program?",
    );
  });

  it("of another schema number is refused [TUSK-11.6]", () => {
    for (const schema of [0, 2, "1", true, null])
      expect(messageOf({ schema })).toMatch(/schema is .*, expected 1;/);
  });

  it("without a required member is refused, by its name [TUSK-11.7] [RUNTIME-4.1]", () => {
    for (const member of ["schema", "sessionKind", "sessionId", "state", "startedAt", "updatedAt"]) {
      expect(messageOf({ [member]: undefined })).toContain(`${member} is missing`);
    }
    expect(messageOf({ sessionId: "  " })).toContain('sessionId is "  ", expected text that is not blank');
  });

  it("in another state is refused [TUSK-11.8] [RUNTIME-4.2]", () => {
    for (const state of ["paused", "", "Active", 1]) expect(messageOf({ state })).toContain("state is");
  });

  it("with a malformed time is refused, by member [TUSK-11.9] [RUNTIME-4.3] [TUSK-11.15]", () => {
    for (const member of ["startedAt", "updatedAt", "stoppedAt"]) {
      for (const time of ["2026-02-30T00:00:00Z", "2026-01-31", "now", "2026-01-31 09:00:00Z", 5]) {
        expect(messageOf({ [member]: time })).toContain(`${member} is `);
      }
    }
    expect(messageOf({ startedAt: "2026-01-31T09:00:00.123456789+05:30" })).toBe("accepted");
  });

  it("with an optional member of the wrong type is refused", () => {
    for (const member of ["issueId", "summary", "nextStep", "issuesPath", "issuesSnapshotRef"]) {
      expect(messageOf({ [member]: 7 })).toContain(`${member} is 7, expected text`);
      expect(messageOf({ [member]: null })).toBe("accepted");
    }
    for (const member of refList) {
      expect(messageOf({ [member]: "w" })).toContain(`${member} is "w", expected a list of refs`);
      expect(messageOf({ [member]: [1] })).toContain(`${member} is [1]`);
    }
  });

  it("that was edited by hand is read normalised [TUSK-11.11] [TUSK-11.12] [TUSK-11.14] [TUSK-11.29] [RUNTIME-4.7]", () => {
    const read = checkSession(
      file({
        witnessRefs: [" b", "a", "b", ""],
        lineageRefs: ["y ", "x"],
        instructionRefs: [],
        summary: " ",
      }),
      "s",
    );
    expect(read.witnessRefs).toEqual(["a", "b"]);
    expect(read.lineageRefs).toEqual(["x", "y"]);
    expect(read).not.toHaveProperty("instructionRefs");
    expect(read).not.toHaveProperty("summary");
  });

  it("is accepted by the code exactly when the published schema accepts it, but for blanks and nulls", () => {
    const values = fc.oneof(
      fc.constantFrom(
        "active",
        "stopped",
        "x",
        "2026-01-31T09:30:00Z",
        "2026-13-01T00:00:00Z",
        "2016-12-31T23:59:60Z",
      ),
      fc.constantFrom(1, 2, true, "premath.harness.session.v1"),
      fc.array(fc.constantFrom("a", "b", 1), { maxLength: 2 }).map((list) => [...new Set(list)]),
    );
    holds(
      fc.property(fc.constantFrom(...sessionMembers), values, (member, value) => {
        const candidate = file({ [member]: value });
        const accepted = classOf(() => checkSession(candidate, "s")) === undefined;
        expect(accepted, `${member}: ${JSON.stringify(value)}`).toBe(fits.Check(candidate));
      }),
      500,
    );
  });
});

describe("members that this version does not know", () => {
  it("keep their bytes and their order through every update, 64-bit numbers too", async () => {
    const literals = fc.constantFrom(
      "18446744073709551615",
      "1.0",
      "-0",
      "1e400",
      '"\\u00e9"',
      "[ 1 ]",
      '{ "b":1,"a":2 }',
    );
    const known = new Set<string>(sessionMembers);
    const keys = fc.string({ minLength: 1, maxLength: 6 }).filter((key) => !known.has(key));
    await holdsAsync(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(keys, literals), { selector: ([key]) => key, maxLength: 4 }),
        fc.array(updates, { minLength: 1, maxLength: 2 }),
        async (unknown, chain) => {
          const path = join(newFolder(), "harness_session.json");
          const extra = unknown.map(([key, literal]) => `${JSON.stringify(key)}: ${literal}`);
          const body = JSON.stringify(first).slice(1, -1);
          writeFileSync(path, `{${[...extra, body].join(",\n")}}`);
          const document = await openSession({ path, ports });
          for (const update of chain) await document.change((current) => merged(current, update));
          const lines = readFileSync(path, "utf8");
          let at = 0;
          for (const line of extra) {
            const found = lines.indexOf(line, at);
            expect(found, `${line} in ${lines}`).toBeGreaterThan(0);
            at = found + line.length;
          }
        },
      ),
      30,
    );
  });

  it("do not save a file that breaks the contract: it is refused and its bytes stay", async () => {
    const path = join(newFolder(), "harness_session.json");
    const content = '{"sessionKind":"other","future":18446744073709551615}';
    writeFileSync(path, content);
    const document = await openSession({ path, ports });
    await rejectsWith("session_invalid", document.read());
    await rejectsWith(
      "session_invalid",
      document.change((current) => merged(current, {})),
    );
    expect(readFileSync(path, "utf8")).toBe(content);
  });
});
