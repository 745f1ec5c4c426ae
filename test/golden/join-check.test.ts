/**
 * A turn for every class of the join check and of mutation readiness, with the answer that it had when
 * the file was written. The files are never edited: digests that people keep would change with them.
 */
import { readdirSync, readFileSync } from "node:fs";
import { isRefusal, type JsonValue } from "@bridle/record";
import { joinCheck, joinClasses, mutationClasses } from "@bridle/work";
import { describe, expect, it } from "vitest";

interface Golden {
  readonly policyDigest?: string;
  readonly input: JsonValue;
  readonly answer: {
    readonly failureClasses: readonly string[];
    readonly mutationFailureClasses: readonly string[];
    readonly digests: object;
  };
}

const folder = new URL("join-check/", import.meta.url);
const names = readdirSync(folder).map((name) => name.replace(/\.json$/, ""));
const read = (name: string) => JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8")) as Golden;

describe("[RUNTIME-1.1.8] [RUNTIME-1.1.9] [RUNTIME-1.1.10] a golden turn", () => {
  it.each(names)("%s is answered as ever", (name) => {
    const { input, policyDigest, answer } = read(name);
    const check = joinCheck(input, policyDigest);
    if (isRefusal(check)) throw new Error(check.message);
    const { witness, normalized: _normalized, ...verdict } = check;
    expect(JSON.stringify({ ...verdict, digests: witness.digests })).toBe(JSON.stringify(answer));
    const classes = [...answer.failureClasses, ...answer.mutationFailureClasses];
    if (name === "accepted") expect(classes).toEqual([]);
    else expect(classes).toContain(name);
  });

  it("is there for every class", () => {
    expect(names.toSorted()).toEqual(["accepted", ...joinClasses, ...mutationClasses].toSorted());
  });
});
