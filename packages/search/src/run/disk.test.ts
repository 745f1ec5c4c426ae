/** A run on a disk that fails at any one call: it says so, what is there can be read, and it is resumed to the same bytes. */
import { join } from "node:path";
import { Failure } from "@bridle/record";
import { type Fault, FaultyFiles } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import { newFastFolder } from "../../../../test/support/folder.js";
import { share } from "../../../../test/support/scale.js";
import { bytesOf, packIn, policyOf, ports, runIn } from "../../../../test/support/search-run.js";
import type { Policy } from "../policy/types.js";
import { verifyRun } from "./read.js";

const timeout = share(600_000, 60_000);
/** In `npm test` only every so-and-so-manieth call fails. */
const stride = share(1, 11);

describe("a run on a failing disk", () => {
  it("says so, leaves a prefix and is resumed to the same bytes", { timeout }, async () => {
    const base = newFastFolder();
    const pack = await packIn(base, 3);
    const random = await policyOf("random", { seed: 3 });
    // Decides as a model does, so that rows are written as they come.
    const policy: Policy = {
      ...random,
      begin(brief, options) {
        const deciding = random.begin(brief, options);
        return { propose: async (observation) => deciding.propose(observation) };
      },
    };
    const whole = join(base, "whole");
    await runIn({ pack, policy, out: whole });
    const expected = bytesOf(whole);
    const found = { struck: 0, refused: 0 };
    for (const fault of ["ENOSPC", "EIO", "short-write", "torn-write", "fsync"] satisfies Fault[]) {
      for (let at = 1; ; at += stride) {
        const files = new FaultyFiles(ports.files, { fault, at });
        const out = join(base, `${fault}-${at}`);
        const faulty = { ...ports, files };
        const outcome: unknown = await runIn({ pack, policy, out, ports: faulty }).catch((error) => error);
        if (files.fired === 0) break;
        found.struck++;
        if (outcome instanceof Error) {
          expect(outcome, `${fault} ${at}: ${outcome.stack}`).toBeInstanceOf(Failure);
          found.refused++;
        }
        files.heal();
        const after: unknown = await verifyRun(out, ports).catch((error) => error);
        if (after instanceof Error) expect(after).toMatchObject({ failureClass: "run_missing" });
        await runIn({ pack, policy, out, ports: faulty, resume: true });
        expect(bytesOf(out), `${fault} ${at}`).toEqual(expected);
      }
    }
    console.log(
      `proof: run disk: ${found.struck} failing disk calls, ${found.refused} of them ended the run, each resumed to the same bytes`,
    );
    expect(found.refused).toBeGreaterThan(10);
  });
});
