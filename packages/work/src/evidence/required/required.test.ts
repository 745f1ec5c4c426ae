/** The map of required checks and what is derived from it, without a process. */
import { isRefusal, type JsonObject } from "@bridle/record";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { type CheckMap, checkMapDigest, parseCheckMap, parseUnsealed } from "./check-map.js";
import { ciToposMap } from "./ci-topos.js";
import { decide, verifyDecision } from "./decide.js";
import { draftMap } from "./draft-map.js";
import { fallbackRef, gateRef } from "./gate-ref.js";
import { matchesPattern, patternComplaint } from "./path-pattern.js";
import { normalizePaths, projectChecks, projectEverything } from "./project-checks.js";
import { type ChangedPath, tamperedPaths } from "./protection.js";
import { verifyWitness } from "./verify-witness.js";
import { readRuntime, type WitnessRuntime, witnessOf } from "./witness.js";

const plain = {
  schema: 1,
  policyKind: "premath.required_checks.v1",
  policyId: "policy.test.v1",
  checks: [
    { id: "lint", command: "npm run lint" },
    { id: "test", command: "npm test" },
    { id: "all", command: "make all", coversAll: true },
  ],
  documents: ["docs/**", "**/*.md"],
  rules: [
    { paths: ["src/**"], checks: ["test", "lint"], reason: "source_changed" },
    { paths: ["docs/api/"], checks: ["lint"], reason: "api_docs", when: "documents_only" },
    { paths: ["Makefile"], checks: ["all"], reason: "build_changed", alone: true },
  ],
  fallback: { checks: ["all"], reason: "unknown" },
  tests: ["test/**", "**/*.test.ts"],
  protected: ["policies/**", "package.json#scripts"],
} as const satisfies JsonObject;
const sealed = (more: JsonObject = {}) => {
  const map = { ...plain, ...more };
  return JSON.stringify({ ...map, policyDigest: checkMapDigest(map) });
};
const map = parseCheckMap(sealed(), "map") as CheckMap;

describe("a pattern", () => {
  test.each([
    ["src/**", "src/a/b.ts", true],
    ["src/**", "src", true],
    ["src/**", "srcs/a", false],
    ["docs/", "docs/a/b.md", true],
    ["**/*.md", "README.md", true],
    ["**/*.md", "a/b/c.md", true],
    ["*.md", "a/b.md", false],
    ["a/**/z", "a/z", true],
    ["a/**/z", "a/b/c/z", true],
    ["a/**/z", "a/b/c/y", false],
    ["a/*/c", "a/b/c", true],
    ["a/*/c", "a/b/d/c", false],
    ["v?.txt", "v1.txt", true],
    ["v?.txt", "v12.txt", false],
    ["[id].tsx", "[id].tsx", true],
    ["a.c", "abc", false],
    ["**", "any/thing", true],
    ["*a*b*c", "xaybzc", true],
    ["*a*b*c", "xaybz", false],
  ])("%s and %s: %s", (pattern, path, fits) => {
    expect(matchesPattern(pattern, path)).toBe(fits);
  });

  test("is no way to take exponential time", () => {
    const pattern = `${"*a".repeat(120)}b`;
    const folders = `${"**/a/".repeat(60)}b`;
    const began = performance.now();
    expect(matchesPattern(pattern, "a".repeat(2_000))).toBe(false);
    expect(matchesPattern(folders, "a/".repeat(1_000))).toBe(false);
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  test.each(["", "{a,b}", "!a", "/etc", "a/../b", "a**b", "x".repeat(600)])("%s is refused", (pattern) => {
    expect(patternComplaint(pattern)).toBeTypeOf("string");
  });

  it("means what the slow way of trying everything means", () => {
    const piece = fc.constantFrom("a", "b", "*", "**", "?", "ab");
    const name = fc.constantFrom("a", "b", "ab", "ba");
    fc.assert(
      fc.property(
        fc.array(piece, { minLength: 1, maxLength: 4 }),
        fc.array(name, { minLength: 1, maxLength: 4 }),
        (parts, names) => {
          expect(matchesPattern(parts.join("/"), names.join("/"))).toBe(slowly(parts, names));
        },
      ),
      { numRuns: 500 },
    );
  });
});

function slowly(parts: readonly string[], names: readonly string[]): boolean {
  const [part, ...rest] = parts;
  if (part === undefined) return names.length === 0;
  if (part === "**")
    return names.length === 0 ? slowly(rest, []) : slowly(rest, names) || slowly(parts, names.slice(1));
  if (names.length === 0) return false;
  const shape = new RegExp(`^${part.replaceAll("*", ".*").replaceAll("?", ".")}$`);
  return shape.test(names[0]!) && slowly(rest, names.slice(1));
}

describe("a map", () => {
  test.each([
    ["no JSON", "{", "required_checks_invalid_json"],
    ["a list", "[]", "required_checks_invalid_shape"],
    ["no check", sealed({ checks: [] }), "required_checks_invalid_shape"],
    [
      "two checks of one name",
      sealed({ checks: [plain.checks[0], plain.checks[0]] }),
      "required_checks_invalid_shape",
    ],
    [
      "a rule for a check that is not there",
      sealed({ fallback: { checks: ["nope"], reason: "x" } }),
      "required_checks_invalid_shape",
    ],
    ["a pattern with braces", sealed({ protected: ["{a,b}"] }), "required_checks_invalid_shape"],
    [
      "a time limit of nothing",
      sealed({ checks: [{ id: "a", command: "a", timeoutSeconds: 0 }] }),
      "required_checks_invalid_shape",
    ],
    ["edited by hand", sealed().replace("npm test", "true"), "required_checks_invalid_digest"],
    ["another kind", sealed({ policyKind: "x" }), "required_checks_invalid_shape"],
  ])("with %s is refused", (_, text, failureClass) => {
    expect(parseCheckMap(text, "map")).toMatchObject({ refused: failureClass });
  });

  it("is sealed whatever the order of its members", () => {
    const value = JSON.parse(sealed()) as JsonObject;
    const turned = Object.fromEntries(Object.entries(value).toReversed());
    expect(isRefusal(parseCheckMap(JSON.stringify(turned), "map"))).toBe(false);
    expect(isRefusal(parseUnsealed(sealed({ policyDigest: "other" }), "map"))).toBe(false);
  });
});

describe("a projection", () => {
  test.each([
    [["src/a.ts"], ["lint", "test"], ["source_changed"], false],
    [["src/a.ts", "other"], ["all"], ["source_changed", "unknown"], false],
    [["docs/api/a.md"], ["lint"], ["api_docs"], true],
    [["docs/a.md", "src/b.ts"], ["lint", "test"], ["source_changed"], false],
    [["docs/a.md"], [], [], true],
    [["Makefile", "src/a.ts"], ["all"], ["build_changed"], false],
    [[], ["all"], ["empty_delta"], true],
  ])("of %s requires %s", (paths, requiredChecks, reasons, docsOnly) => {
    expect(projectChecks(map, paths)).toMatchObject({ requiredChecks, reasons, docsOnly });
  });

  it("is bound to the map's digest, and is the same whatever order paths come in", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("src/a.ts", "./src/a.ts", "docs/b.md", "x", " y ", "a\\b")),
        (paths) => {
          const one = projectChecks(map, paths);
          expect(projectChecks(map, paths.toReversed())).toEqual(one);
          expect(projectChecks(map, one.changedPaths)).toEqual(one);
          expect(one.projectionPolicy).toBe(map.policyDigest);
        },
      ),
    );
    const other = parseCheckMap(sealed({ policyId: "other" }), "map") as CheckMap;
    expect(projectChecks(other, ["x"]).projectionDigest).not.toBe(projectChecks(map, ["x"]).projectionDigest);
  });

  it("of everything names every check", () => {
    expect(projectEverything(map, ["docs/a.md"]).requiredChecks).toEqual(["lint", "test", "all"]);
  });

  it("normalises paths once and for all", () => {
    expect(normalizePaths(["b", " ./a ", "a", "", "./././c\\d"])).toEqual(["a", "b", "c/d"]);
  });
});

describe("what is protected", () => {
  const sides = new Map([
    ["package.json", ['{"scripts":{"test":"a"},"x":1}', '{"scripts":{"test":"a"},"x":2}'] as const],
    ["broken/package.json", ["{}", "{"] as const],
  ]);
  const tampered = (changes: ChangedPath[], declared: string[] = []) =>
    tamperedPaths(map, changes, {
      declared,
      sidesOf: async (path) => sides.get(path) ?? [undefined, undefined],
    });

  test.each<[string, ChangedPath, string[], string | undefined]>([
    ["a new test is welcome", { path: "test/new.sh", how: "added" }, [], undefined],
    ["a changed test is not", { path: "test/a.sh", how: "changed" }, [], "tests"],
    ["a deleted test is not", { path: "src/a.test.ts", how: "deleted" }, [], "tests"],
    ["a declared one is", { path: "test/a.sh", how: "changed" }, ["test/a.sh"], undefined],
    [
      "declaring does not reach what is protected",
      { path: "policies/x", how: "changed" },
      ["policies/x"],
      "policies/**",
    ],
    ["a new policy is not", { path: "policies/x", how: "added" }, [], "policies/**"],
    ["another member of package.json is", { path: "package.json", how: "changed" }, [], undefined],
    ["source is", { path: "src/a.ts", how: "changed" }, [], undefined],
  ])("%s", async (_, change, declared, by) => {
    expect(await tampered([change], declared)).toEqual(by === undefined ? [] : [{ path: change.path, by }]);
  });

  it("is the scripts of package.json, and breaking the file is no way around", async () => {
    const change: ChangedPath = { path: "package.json", how: "changed" };
    const with_ = (after: string | undefined) =>
      tamperedPaths(map, [change], {
        declared: [],
        sidesOf: async () => ['{"scripts":{"test":"a"}}', after],
      });
    expect(await with_('{"scripts":{"test":"true"}}')).toHaveLength(1);
    expect(await with_("{")).toHaveLength(1);
    expect(await with_(undefined)).toHaveLength(1);
    expect(await with_('{"version":"2","scripts":{"test":"a"}}')).toHaveLength(0);
  });
});

describe("a draft", () => {
  it("of a package takes its scripts, its lockfile and protects what they go through", () => {
    const draft = draftMap(
      new Map([
        [
          "package.json",
          '{"scripts":{"test":"vitest run","lint":"x","start":"y"},"devDependencies":{"vitest":"1"}}',
        ],
        ["package-lock.json", "{}"],
      ]),
    );
    expect(draft?.setup).toEqual({ command: "npm ci", lockfiles: ["package.json", "package-lock.json"] });
    expect(draft?.checks.map(({ command }) => command)).toEqual(["npm run lint", "npm test"]);
    expect(draft?.protected).toEqual(
      expect.arrayContaining([
        "package.json#scripts",
        "package.json#devDependencies.vitest",
        "**/vitest.config.*",
      ]),
    );
    const text = JSON.stringify({ ...draft, policyDigest: checkMapDigest(draft as unknown as JsonObject) });
    expect(isRefusal(parseCheckMap(text, "draft"))).toBe(false);
  });

  test.each([
    [
      "a Makefile",
      new Map([["Makefile", "CC := gcc\ntest: a\n\tls\ncheck:\n"]]),
      ["make check", "make test"],
    ],
    [
      "Cargo",
      new Map([
        ["Cargo.toml", ""],
        ["Cargo.lock", ""],
      ]),
      ["cargo build --locked", "cargo test --locked"],
    ],
    [
      "uv",
      new Map([
        ["pyproject.toml", ""],
        ["uv.lock", ""],
      ]),
      ["uv run python -m pytest"],
    ],
  ])("of %s", (_, files, commands) => {
    expect(draftMap(files)?.checks.map(({ command }) => command)).toEqual(commands);
  });

  it("of nothing is none, and npm's placeholder is nothing", () => {
    expect(
      draftMap(
        new Map([["package.json", '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}']]),
      ),
    ).toBeUndefined();
    expect(draftMap(new Map())).toBeUndefined();
  });
});

// --- The chain -------------------------------------------------------------------------------------

function runtime(exitCodes: Readonly<Record<string, number>> = {}): {
  runtime: WitnessRuntime;
  payloads: Map<string, JsonObject>;
} {
  const { schema: _schema, ...projection } = projectChecks(map, ["src/a.ts"]);
  const payloads = new Map<string, JsonObject>();
  const gateWitnessRefs = projection.requiredChecks.map((id) => {
    const from = {
      exitCode: exitCodes[id] ?? 0,
      projectionDigest: projection.projectionDigest,
      policyDigest: projection.projectionPolicy,
      ctxRef: "base",
      dataHeadRef: "HEAD",
    };
    const { gateWitnessRef, gatePayload } = fallbackRef(id, `gates/x/${id}.json`, from);
    payloads.set(gateWitnessRef.artifactRelPath, gatePayload);
    return { ...gateWitnessRef, failureClasses: [...gateWitnessRef.failureClasses] };
  });
  return {
    payloads,
    runtime: {
      ...projection,
      changedPaths: [...projection.changedPaths],
      requiredChecks: [...projection.requiredChecks],
      reasons: [...projection.reasons],
      results: projection.requiredChecks.map((checkId) => {
        const exitCode = exitCodes[checkId] ?? 0;
        return {
          checkId,
          exitCode,
          status: exitCode === 0 ? ("passed" as const) : ("failed" as const),
          durationMs: 1,
        };
      }),
      gateWitnessRefs,
      deltaSource: "git_diff",
      squeakSiteProfile: "local",
      runStartedAt: "2026-01-01T00:00:00Z",
      runFinishedAt: "2026-01-01T00:00:01Z",
      runDurationMs: 1_000,
    },
  };
}

describe("a witness", () => {
  it("[TUSK-5.5] that a check failed is rejected, and a decision by it rejects", () => {
    const { runtime: run, payloads } = runtime({ test: 1 });
    const witness = witnessOf(run);
    expect(witness).toMatchObject({
      verdictClass: "rejected",
      operationalFailureClasses: ["check_failed"],
      semanticFailureClasses: ["descent_failure"],
    });
    expect(
      verifyWitness({ map, witness: witness as unknown as JsonObject, changedPaths: ["src/a.ts"], payloads })
        .errors,
    ).toEqual([]);
    expect(decide({ map, witness: witness as unknown as JsonObject, payloads })).toMatchObject({
      decision: "reject",
      reasonClass: "verification_reject",
    });
  });

  const { runtime: sound, payloads } = runtime();
  const good = witnessOf(sound) as unknown as JsonObject;

  it("of checks that passed holds, and a decision by it accepts", () => {
    expect(verifyWitness({ map, witness: good, changedPaths: ["src/a.ts"], payloads }).errors).toEqual([]);
    expect(decide({ map, witness: good, payloads })).toMatchObject({
      decision: "accept",
      reasonClass: "verified_accept",
      errors: [],
    });
  });

  const results = good["results"] as readonly JsonObject[];
  const refs = good["gateWitnessRefs"] as readonly JsonObject[];
  test.each<[string, JsonObject]>([
    ["another kind", { witnessKind: "ci.required.v0" }],
    ["another schema", { ciSchema: 2 }],
    ["another policy", { projectionPolicy: "pol1_x" }],
    ["another policy digest", { policyDigest: "pol1_x" }],
    ["another projection", { projectionDigest: "proj1_x" }],
    ["other paths", { changedPaths: ["docs/a.md"] }],
    [
      "a check left out",
      {
        requiredChecks: ["lint"],
        executedChecks: ["lint"],
        results: results.slice(0, 1),
        gateWitnessRefs: refs.slice(0, 1),
      },
    ],
    ["checks in another order", { executedChecks: ["test", "lint"] }],
    ["a result of another check", { results: [results[0]!, { ...results[1]!, checkId: "other" }] }],
    ["a status that its exit code denies", { results: [{ ...results[0]!, exitCode: 1 }, results[1]!] }],
    ["a verdict that its results deny", { verdictClass: "rejected" }],
    ["classes that its results deny", { failureClasses: ["check_failed"] }],
    ["a gate ref without its source", { gateWitnessRefs: [{ ...refs[0]!, source: undefined }, refs[1]!] }],
    [
      "a gate ref with another hash",
      { gateWitnessRefs: [{ ...refs[0]!, sha256: "0".repeat(64) }, refs[1]!] },
    ],
    [
      "a gate ref out of the root",
      { gateWitnessRefs: [{ ...refs[0]!, artifactRelPath: "../x.json" }, refs[1]!] },
    ],
    ["another normalizer", { normalizerId: "normalizer.x" }],
    ["another typed core", { typedCoreProjectionDigest: "ev1_x" }],
    ["documents only", { docsOnly: true }],
    ["another reason", { reasons: ["because"] }],
    ["no results", { results: undefined }],
  ])("with %s does not hold", (_, change) => {
    const witness = JSON.parse(JSON.stringify({ ...good, ...change })) as JsonObject;
    expect(verifyWitness({ map, witness, changedPaths: ["src/a.ts"], payloads }).errors).not.toEqual([]);
    expect(decide({ map, witness, payloads, expectedChangedPaths: ["src/a.ts"] }).decision).toBe("reject");
  });

  it("whose gate payload was exchanged does not hold", () => {
    const [path, payload] = [...payloads][0]!;
    const other = new Map(payloads).set(path, { ...payload, runId: "run1_other" });
    expect(
      verifyWitness({ map, witness: good, changedPaths: ["src/a.ts"], payloads: other }).errors,
    ).not.toEqual([]);
    other.delete(path);
    expect(
      verifyWitness({ map, witness: good, changedPaths: ["src/a.ts"], payloads: other }).errors,
    ).not.toEqual([]);
  });

  it("is asked for native gates where they are required", () => {
    const question = { map, witness: good, changedPaths: ["src/a.ts"], payloads };
    expect(verifyWitness({ ...question, nativeRequiredChecks: ["test"] }).errors).toEqual([
      "nativeRequiredChecks[0] requires native source (checkId=test)",
    ]);
  });

  it("says a class of its own for what ended otherwise", () => {
    const run = {
      ...sound,
      results: sound.results.map((each) => ({
        ...each,
        exitCode: 124,
        status: "failed" as const,
        failureClass: "gate_timeout",
      })),
    };
    expect(witnessOf(run).operationalFailureClasses).toEqual(["gate_timeout"]);
    const lied = { ...run, results: run.results.map((each) => ({ ...each, failureClass: "nothing_wrong" })) };
    expect(witnessOf(lied).operationalFailureClasses).toEqual(["check_failed"]);
  });

  test.each([
    ["another policy than it projects", { policyDigest: "other" }],
    [
      "a result that denies itself",
      { results: [{ checkId: "lint", status: "passed", exitCode: 1, durationMs: 1 }] },
    ],
    ["a blank check", { requiredChecks: [" "] }],
    ["no times", { runStartedAt: undefined }],
  ])("is not made from a run with %s", (_, change) => {
    const run = JSON.parse(JSON.stringify({ ...sound, ...change })) as JsonObject;
    expect(readRuntime(run)).toMatchObject({ refused: "required_witness_runtime_invalid" });
  });
});

describe("a decision", () => {
  const { runtime: sound, payloads } = runtime();
  const witness = witnessOf(sound) as unknown as JsonObject;
  const decision = {
    ...decide({ map, witness, payloads }),
    witnessSha256: "a",
    deltaSha256: "b",
  } as unknown as JsonObject;
  const question = { decision, witness, actualWitnessSha256: "a", actualDeltaSha256: "b" };

  it("belongs to its witness and to its files", () => {
    expect(verifyDecision(question).errors).toEqual([]);
    expect(verifyDecision({ ...question, actualWitnessSha256: "c" }).errors).toEqual([
      "witness sha mismatch (decision=a, actual=c)",
    ]);
    expect(verifyDecision({ ...question, actualDeltaSha256: "c" }).errors).toHaveLength(1);
    expect(
      verifyDecision({ ...question, witness: { ...witness, projectionDigest: "x" } }).errors,
    ).toHaveLength(1);
    expect(verifyDecision({ ...question, decision: { ...decision, decision: "maybe" } }).errors).toHaveLength(
      1,
    );
    expect(verifyDecision({ ...question, decision: { ...decision, decisionKind: "x" } }).errors).toHaveLength(
      1,
    );
  });

  it("about no witness at all rejects", () => {
    expect(decide({ map, witness: "text" })).toMatchObject({
      decision: "reject",
      reasonClass: "invalid_witness_shape",
    });
  });
});

describe("a gate ref", () => {
  test.each<[string, JsonObject]>([
    ["no check", { artifactRelPath: "a", gatePayload: {} }],
    ["no path", { checkId: "a", gatePayload: {} }],
    ["neither payload nor fallback", { checkId: "a", artifactRelPath: "a" }],
    ["both", { checkId: "a", artifactRelPath: "a", gatePayload: {}, fallback: {} }],
    ["a payload that is none", { checkId: "a", artifactRelPath: "a", gatePayload: "x" }],
    ["an unknown source", { checkId: "a", artifactRelPath: "a", gatePayload: {}, source: "x" }],
    [
      "a native fallback",
      { checkId: "a", artifactRelPath: "a", source: "native", fallback: { exitCode: 0 } },
    ],
    [
      "half a fallback",
      { checkId: "a", artifactRelPath: "a", fallback: { exitCode: 0, projectionDigest: "p" } },
    ],
  ])("with %s is refused", (_, request) => {
    expect(gateRef(request)).toMatchObject({ refused: "required_gate_ref_invalid" });
  });
});

it("the original's table is a map as any other", () => {
  expect(isRefusal(parseCheckMap(JSON.stringify(ciToposMap), "ci-topos"))).toBe(false);
  expect(projectChecks(ciToposMap, ["crates/premath-bd/src/lib.rs"])).toMatchObject({
    projectionPolicy: "ci-topos-v0",
    projectionDigest: "proj1_a650cc9dd752ba9cec31cecc5f872e19f588906e6cf557cb6aecb9da495285ce",
    requiredChecks: ["build", "test"],
    reasons: ["rust_surface_changed"],
  });
});
