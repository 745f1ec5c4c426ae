/**
 * One witness, eight processes that use it at once, some of them killed at any moment: it is
 * never used twice, it is used once whenever a caller survived, and whoever repeats the call
 * that used it is answered the same.
 */
import { readFileSync } from "node:fs";
import type { JsonObject } from "@bridle/record";
import { Random } from "@bridle/testing";
import { expect, it } from "vitest";
import { type Child, useChildren } from "../support/children.js";
import { GateDesk } from "../support/gate-desk.js";
import { seed, share } from "../support/scale.js";

const children = useChildren();
const processes = 8;

it("a witness is used once, whoever dies", { timeout: 3_600_000 }, async () => {
  const rounds = share(1_000, 4);
  const random = new Random(seed);
  const issues = Array.from({ length: rounds }, (_, i) => ({ id: `bd-${i}`, title: `bd-${i}` }));
  const desk = new GateDesk(...issues);
  const { cwd, settings, nowMs } = desk;
  const start = () => children.start("spend", { cwd, settings, nowMs });
  const crew: Child[] = Array.from({ length: processes }, start);
  await Promise.all(crew.map((child) => child.says("ready")));
  const books = { kills: 0, answered: 0, accepted: 0, repeated: 0, unused: 0 };

  for (let round = 0; round < rounds; round++) {
    const instructionId = `w-${round}`;
    await desk.witness(instructionId, { issueId: `bd-${round}`, fence: 0 }, ["issue_update"]);
    // Of each kind of call there are two, so that one of them repeats the other.
    const asked = crew.map((child, i) => ({ child, notes: `n${i >> 1}` }));
    const doomed = new Set(asked.filter(() => random.between(0, 3) === 0).map(({ child }) => child));
    for (const { child, notes } of asked)
      child.tell(JSON.stringify({ round, id: `bd-${round}`, notes, instructionId }));
    for (const child of doomed) {
      books.kills++;
      setTimeout(() => child.kill("SIGKILL"), random.between(0, 20));
    }
    const answers = await Promise.all(
      asked.map(async ({ child, notes }) => {
        const line = await child.says(`answer ${round} `).catch(() => undefined);
        return line === undefined ? undefined : { notes, line: line.slice(`answer ${round} `.length) };
      }),
    );
    for (const [i, child] of crew.entries()) {
      if (!doomed.has(child)) continue;
      await child.ended;
      crew[i] = start();
    }
    await Promise.all(crew.map((child) => child.says("ready")));

    const uses = usesOf(desk, `bd-${round}`);
    const notes = new Set(uses.map((row) => row["notes"]));
    const spent = new Set(uses.map((row) => (row["spent_instructions"] as JsonObject[])[0]?.["args_digest"]));
    const told = answers.filter((answer) => answer !== undefined);
    const accepted = told.filter(({ line }) => line.startsWith("accepted "));
    const what = `round ${round}, seed ${seed}: ${JSON.stringify({ answers, uses })}`;
    expect(spent.size, what).toBeLessThanOrEqual(1);
    if (told.length > 0) expect(spent.size, what).toBe(1);
    expect(new Set(accepted.map(({ line }) => line)).size, what).toBeLessThanOrEqual(1);
    for (const answer of told) {
      const isIt = notes.has(answer.notes);
      expect(answer.line.startsWith(isIt ? "accepted " : "mutation.witness_spent "), what).toBe(true);
    }
    books.answered += told.length;
    books.accepted += Math.min(1, accepted.length);
    books.repeated += Math.max(0, accepted.length - 1);
    if (spent.size === 0) books.unused++;
  }
  for (const child of crew) child.kill("SIGKILL");
  console.log(
    `proof: ${rounds} witnesses, ${processes} processes each, ${books.kills} killed: ${books.answered} answers, ` +
      `${books.accepted} of ${rounds} told that it was used, ${books.repeated} repeats answered the same, ` +
      `${books.unused} used by nobody, none twice (seed ${seed})`,
  );
});

/** Rows of the issue that were written under a witness; one that a dying process cut off is none. */
function usesOf(desk: GateDesk, id: string): JsonObject[] {
  return readFileSync(desk.issues, "utf8")
    .split("\n")
    .filter((line) => line.includes(`"id":"${id}"`) && line.includes("spent_instructions"))
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as JsonObject];
      } catch {
        return [];
      }
    });
}
