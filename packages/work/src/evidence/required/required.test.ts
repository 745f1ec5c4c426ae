/** The map of required checks and what is derived from it, without a process. */
import { canonicalJson, isRefusal, type JsonObject, sha256Hex } from "@bridle/record";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { sealedDigest } from "../../seal.js";
import { type CheckMap, checkMapForm, parseCheckMap } from "./check-map.js";
import { parseUnsealed } from "../../sealed-policy.js";
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
  return JSON.stringify({ ...map, policyDigest: sealedDigest(map) });
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
    expect(isRefusal(parseUnsealed(checkMapForm, sealed({ policyDigest: "other" }), "map"))).toBe(false);
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
    const text = JSON.stringify({ ...draft, policyDigest: sealedDigest(draft as unknown as JsonObject) });
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

  it("protects, for every kind of project, what its checks go through", () => {
    const drafted = (...names: string[]) => {
      const draft = draftMap(
        new Map(names.map((name) => [name, name === "package.json" ? scripts : "test:\n"])),
      );
      return { ...draft, protected: draft?.protected.filter((each) => !always.includes(each)) };
    };
    const scripts = '{"scripts":{"build":"b","types":"t"},"devDependencies":{"eslint":"1","left-pad":"1"}}';
    const always = ["policies/**", ".github/**", ".gitlab-ci.yml", ".ci/**", ".gitattributes", ".gitmodules"];
    expect(draftMap(new Map([["Makefile", "lint:\n"]]))?.protected).toEqual([
      ...always,
      "Makefile",
      "**/*.mk",
    ]);
    expect(drafted("Cargo.toml")).toMatchObject({
      checks: [
        { id: "cargo-build", command: "cargo build" },
        { id: "cargo-test", command: "cargo test" },
      ],
      tests: ["tests/**"],
      protected: [".cargo/**", "build.rs", "**/build.rs", "rust-toolchain", "rust-toolchain.toml"],
    });
    const python = {
      tests: ["tests/**", "test/**", "**/test_*.py", "**/*_test.py"],
      protected: ["pyproject.toml", "pytest.ini", "tox.ini", "setup.cfg", "**/conftest.py", "noxfile.py"],
    };
    expect(drafted("pyproject.toml")).toMatchObject({
      ...python,
      checks: [{ id: "pytest", command: "python -m pytest" }],
    });
    expect(drafted("pyproject.toml")).not.toHaveProperty("setup");
    expect(drafted("pyproject.toml", "uv.lock")).toMatchObject({
      ...python,
      setup: { command: "uv sync --frozen", lockfiles: ["uv.lock", "pyproject.toml"] },
    });
    expect(drafted("pyproject.toml", "poetry.lock")).toMatchObject({
      checks: [{ command: "poetry run python -m pytest" }],
      setup: { command: "poetry install", lockfiles: ["poetry.lock", "pyproject.toml"] },
    });
    for (const [lockfile, setup, command] of [
      ["pnpm-lock.yaml", "pnpm install --frozen-lockfile", "pnpm run build"],
      ["yarn.lock", "yarn install --frozen-lockfile", "yarn run build"],
      ["bun.lock", "bun install --frozen-lockfile", "bun run build"],
      ["npm-shrinkwrap.json", "npm ci", "npm run build"],
    ] as const)
      expect(drafted("package.json", lockfile)).toMatchObject({
        setup: { command: setup, lockfiles: ["package.json", lockfile] },
        checks: [{ id: "types" }, { id: "build", command }],
      });
    expect(drafted("package.json", "Makefile", "Cargo.toml")).toMatchObject({
      setup: { command: "npm install", lockfiles: ["package.json"] },
      checks: [{ id: "types" }, { id: "build" }, { id: "cargo-build" }, { id: "cargo-test" }],
      fallback: { checks: ["types", "build", "cargo-build", "cargo-test"], reason: "every_change" },
      tests: ["test/**", "tests/**", "**/__tests__/**", "**/*.test.*", "**/*.spec.*"],
      protected: [
        ...["package.json#scripts", "package.json#devDependencies.eslint"],
        ...[".npmrc", ".yarnrc*", ".pnpmfile.cjs", ".nvmrc"],
        ...["vitest", "vite", "jest", "playwright", "eslint", "ava", "babel"].map(
          (each) => `**/${each}.config.*`,
        ),
        ...["**/.mocharc*", "**/.eslintrc*", "**/.oxlintrc*", "**/vitest.workspace.*"],
        ...[".cargo/**", "build.rs", "**/build.rs", "rust-toolchain", "rust-toolchain.toml"],
      ],
    });
  });

  it("of a package.json that is no JSON is none", () => {
    expect(draftMap(new Map([["package.json", "{"]]))).toBeUndefined();
    expect(draftMap(new Map([["package.json", '{"scripts":[]}']]))).toBeUndefined();
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
  const first = (change: JsonObject) => ({ gateWitnessRefs: [{ ...refs[0]!, ...change }, refs[1]!] });
  test.each<[string, JsonObject, string]>([
    ["another kind", { witnessKind: "ci.required.v0" }, "witnessKind mismatch"],
    ["another schema", { ciSchema: 2 }, "ciSchema mismatch (expected=1, actual=2)"],
    ["another policy", { projectionPolicy: "pol1_x" }, "projectionPolicy mismatch"],
    ["another policy digest", { policyDigest: "pol1_x" }, "policyDigest mismatch"],
    ["another projection", { projectionDigest: "proj1_x" }, "projectionDigest mismatch"],
    ["other paths", { changedPaths: ["docs/a.md"] }, "changedPaths mismatch"],
    ["paths that are no list", { changedPaths: "src/a.ts" }, "changedPaths must be a list"],
    ["a path that is no text", { changedPaths: ["src/a.ts", 7] }, "changedPaths[1] must be a non-empty"],
    [
      "a check left out",
      {
        requiredChecks: ["lint"],
        executedChecks: ["lint"],
        results: results.slice(0, 1),
        gateWitnessRefs: refs.slice(0, 1),
      },
      "requiredChecks mismatch",
    ],
    ["checks in another order", { executedChecks: ["test", "lint"] }, "executedChecks mismatch"],
    ["no list of checks", { requiredChecks: 7 }, "requiredChecks must be a list"],
    [
      "a result of another check",
      { results: [results[0]!, { ...results[1]!, checkId: "other" }] },
      "results checkId sequence mismatch",
    ],
    ["a result twice", { results: [results[0]!, results[0]!] }, "results[1].checkId must be unique"],
    ["a result that is none", { results: [results[0]!, 7] }, "results[1] must be an object"],
    [
      "a result of no check",
      { results: [results[0]!, { ...results[1]!, checkId: "" }] },
      "results[1].checkId must be a non-empty string",
    ],
    [
      "an exit code that is no number",
      { results: [results[0]!, { ...results[1]!, exitCode: "0" }] },
      "results[1].exitCode must be an integer",
    ],
    [
      "an exit code that is no whole number",
      { results: [results[0]!, { ...results[1]!, exitCode: 0.5 }] },
      "results[1].exitCode must be an integer",
    ],
    [
      "a status that its exit code denies",
      { results: [{ ...results[0]!, exitCode: 1 }, results[1]!] },
      "results[0] status/exitCode mismatch",
    ],
    ["a verdict that its results deny", { verdictClass: "rejected" }, "verdictClass mismatch"],
    ["classes that its results deny", { failureClasses: ["check_failed"] }, "failureClasses mismatch"],
    [
      "operational classes that its results deny",
      { operationalFailureClasses: ["check_failed"] },
      "operationalFailureClasses mismatch",
    ],
    [
      "semantic classes that its gates deny",
      { semanticFailureClasses: ["descent_failure"] },
      "semanticFailureClasses mismatch",
    ],
    ["gate refs that are no list", { gateWitnessRefs: {} }, "gateWitnessRefs must be a list"],
    [
      "a gate ref too few",
      { gateWitnessRefs: [refs[0]!] },
      "gateWitnessRefs length mismatch (expected=2, actual=1)",
    ],
    ["a gate ref that is none", { gateWitnessRefs: [refs[0]!, 7] }, "gateWitnessRefs[1] must be an object"],
    ["a gate ref of no check", first({ checkId: " " }), "gateWitnessRefs[0].checkId must be a non-empty"],
    ["a gate ref of another check", first({ checkId: "test" }), "gateWitnessRefs[0].checkId mismatch"],
    ["a gate ref of an unknown check", first({ checkId: "x" }), "gateWitnessRefs[0] unknown checkId: x"],
    ["a gate ref without its source", first({ source: null }), "gateWitnessRefs[0].source must be native"],
    ["a gate ref with another hash", first({ sha256: "0".repeat(64) }), "gateWitnessRefs[0].sha256 mismatch"],
    ["a gate ref with no hash", first({ sha256: "A".repeat(64) }), "sha256 must be 64 lowercase hex"],
    ["a gate ref without a path", first({ artifactRelPath: "" }), "artifactRelPath must be a non-empty"],
    ["a gate ref out of the root", first({ artifactRelPath: "../x.json" }), "inside the witness root"],
    ["a gate ref at the top", first({ artifactRelPath: "/x.json" }), "inside the witness root"],
    [
      "a gate ref to no file",
      first({ artifactRelPath: "x.json" }),
      "artifact not found or no object: x.json",
    ],
    ["a gate ref of another kind", first({ witnessKind: "x" }), "gateWitnessRefs[0].witnessKind mismatch"],
    ["a gate ref with another result", first({ result: "rejected" }), "gateWitnessRefs[0].result mismatch"],
    ["a gate ref of another run", first({ runId: "run1_x" }), "gateWitnessRefs[0].runId mismatch"],
    [
      "a gate ref with classes",
      first({ failureClasses: ["x"] }),
      "gateWitnessRefs[0].failureClasses mismatch",
    ],
    ["another normalizer", { normalizerId: "normalizer.x" }, "normalizerId mismatch"],
    ["another authority", { authorityPayloadDigest: "x" }, "authorityPayloadDigest mismatch"],
    ["another typed core", { typedCoreProjectionDigest: "ev1_x" }, "typedCoreProjectionDigest mismatch"],
    ["documents only", { docsOnly: true }, "docsOnly mismatch (expected=false, actual=true)"],
    ["another reason", { reasons: ["because"] }, "reasons mismatch"],
    ["no results", { results: undefined as never }, "results must be a list"],
  ])("with %s does not hold, and that is the sentence", (_, change, says) => {
    const witness = JSON.parse(JSON.stringify({ ...good, ...change })) as JsonObject;
    const { errors } = verifyWitness({ map, witness, changedPaths: ["src/a.ts"], payloads });
    expect(errors.join("\n")).toContain(says);
    const { decision, reasonClass } = decide({ map, witness, payloads, expectedChangedPaths: ["src/a.ts"] });
    const shaped = !says.startsWith("changedPaths must") && !says.startsWith("changedPaths[");
    expect([decision, reasonClass]).toEqual([
      "reject",
      shaped ? "verification_reject" : "invalid_witness_shape",
    ]);
  });

  it("that is older has one list of classes, and may leave refs out", () => {
    const { runtime: failed } = runtime({ test: 1 });
    const {
      operationalFailureClasses: _o,
      semanticFailureClasses: _s,
      gateWitnessRefs: _g,
      ...older
    } = witnessOf(failed) as unknown as JsonObject;
    const witness = { ...older, failureClasses: ["check_failed"] };
    expect(verifyWitness({ map, witness, changedPaths: ["src/a.ts"] })).toMatchObject({
      errors: [],
      derived: {
        ...{ expectedVerdict: "rejected", gateWitnessSourceByCheck: {} },
        gateSemanticFailureClassesByCheck: {},
      },
    });
  });

  it("says of each check where its gate came from, and by which classes it failed", () => {
    const { runtime: failed, payloads: own } = runtime({ test: 1 });
    const witness = witnessOf(failed) as unknown as JsonObject;
    for (const given of [own, undefined]) {
      const question = { map, witness, changedPaths: ["src/a.ts"] };
      const { derived } = verifyWitness(given === undefined ? question : { ...question, payloads: given });
      expect(derived).toMatchObject({
        gateWitnessSourceByCheck: { lint: "fallback", test: "fallback" },
        gateSemanticFailureClassesByCheck: { lint: [], test: ["descent_failure"] },
      });
    }
    const [, [path, payload]] = [...own] as [unknown, [string, JsonObject]];
    const silent = new Map(own).set(path, { ...payload, failures: [] });
    const told = new Map(own).set([...own.keys()][0]!, { ...payload, result: "accepted" });
    const errors = (given: Map<string, JsonObject>) =>
      verifyWitness({ map, witness, changedPaths: ["src/a.ts"], payloads: given }).errors.join("\n");
    expect(errors(silent)).toContain("gateWitnessRefs[1] is rejected and lists no failure");
    expect(errors(told)).toContain("gateWitnessRefs[0] is accepted and lists failures");
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
    expect(verifyWitness({ ...question, nativeRequiredChecks: ["other"] }).errors).toEqual([
      "nativeRequiredChecks[0] not executed (checkId=other)",
    ]);
    const witness = { ...good, ...first({ source: "native" }) };
    expect(verifyWitness({ ...question, witness, nativeRequiredChecks: ["lint"] }).errors).toEqual([]);
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

  it.each<[string, JsonObject, string]>([
    ["no kind", { decisionKind: null }, "decisionKind mismatch"],
    ["no core digest", { typedCoreProjectionDigest: " " }, "decision.typedCoreProjectionDigest must be"],
    ["no policy", { policyDigest: null }, "decision.policyDigest must be"],
    ["no hash of its witness", { witnessSha256: null }, "decision.witnessSha256 must be"],
    ["no hash of its delta", { deltaSha256: 7 }, "decision.deltaSha256 must be"],
    ["no checks", { requiredChecks: null }, "decision.requiredChecks must be a list"],
    ["other checks", { requiredChecks: ["lint"] }, "witness.requiredChecks mismatch"],
    ["another projection", { projectionDigest: "x" }, "witness.projectionDigest mismatch"],
  ])("with %s does not hold", (_, change, says) => {
    const { errors } = verifyDecision({ ...question, decision: { ...decision, ...change } });
    expect(errors.join("\n")).toContain(says);
    expect(errors.join("\n")).not.toContain("sha mismatch");
  });

  it("is about its delta as about its witness, where there is one", () => {
    const { changedPaths: _paths, ...delta } = witness;
    expect(verifyDecision({ ...question, witness: null, deltaSnapshot: delta })).toMatchObject({
      errors: [],
      derived: {
        decision: "accept",
        projectionDigest: decision["projectionDigest"],
        requiredChecks: ["lint", "test"],
      },
    });
    const other = { ...delta, normalizerId: "n" };
    expect(verifyDecision({ ...question, deltaSnapshot: other }).errors).toEqual([
      expect.stringContaining("deltaSnapshot.normalizerId mismatch"),
    ]);
    expect(verifyDecision({ ...question, witness: [] }).errors).toEqual(["witness must be an object"]);
    expect(verifyDecision({ decision: "yes" }).errors[0]).toBe("decision must be an object");
    expect(verifyDecision({ decision, witness }).errors).toEqual([
      "actual witness sha256 must be a non-empty string",
      "actual delta sha256 must be a non-empty string",
    ]);
  });

  it("about no witness at all rejects, and says nothing of what it would be", () => {
    for (const none of ["text", {}, { changedPaths: [7] }, undefined])
      expect(decide({ map, witness: none, nativeRequiredChecks: ["a"] })).toEqual({
        ...{ schema: 1, decisionKind: "ci.required.decision.v1" },
        ...{ decision: "reject", reasonClass: "invalid_witness_shape" },
        ...{ projectionDigest: null, typedCoreProjectionDigest: null, authorityPayloadDigest: null },
        ...{ normalizerId: null, policyDigest: null, requiredChecks: [], nativeRequiredChecks: ["a"] },
        errors: ["witness must be an object with a list of changedPaths"],
      });
  });
});

describe("a gate ref", () => {
  const whole = {
    exitCode: 0,
    projectionDigest: "p",
    policyDigest: "q",
    ctxRef: "base",
    dataHeadRef: "head",
  };
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
    ["a fallback that is none", { checkId: "a", artifactRelPath: "a", fallback: "x" }],
    [
      "a fallback without a code",
      { checkId: "a", artifactRelPath: "a", fallback: { ...whole, exitCode: "0" } },
    ],
    [
      "a fallback with a broken code",
      { checkId: "a", artifactRelPath: "a", fallback: { ...whole, exitCode: 0.5 } },
    ],
  ])("with %s is refused", (_, request) => {
    expect(gateRef(request)).toMatchObject({ refused: "required_gate_ref_invalid" });
  });

  it.each(["projectionDigest", "policyDigest", "ctxRef", "dataHeadRef"])(
    "needs %s for its fallback",
    (name) => {
      const request = { checkId: "a", artifactRelPath: "a", fallback: { ...whole, [name]: " " } };
      expect(gateRef(request)).toMatchObject({ message: `fallback.${name} must be a non-empty string` });
    },
  );

  it("of a payload names it by its hash, its run and its classes", () => {
    const gatePayload: JsonObject = {
      ...{ witnessKind: "gate", runId: " run1_x ", result: "rejected" },
      failures: [{ class: "b" }, { class: " a" }, { class: "b" }, { class: 7 }, "c"],
    };
    expect(gateRef({ checkId: " a ", artifactRelPath: " p ", gatePayload, fallback: null })).toEqual({
      gateWitnessRef: {
        ...{
          checkId: "a",
          artifactRelPath: "p",
          source: "native",
          sha256: sha256Hex(canonicalJson(gatePayload)),
        },
        ...{ runId: "run1_x", witnessKind: "gate", result: "rejected", failureClasses: ["a", "b"] },
      },
    });
    expect(gateRef({ checkId: "a", artifactRelPath: "p", gatePayload: {}, source: "fallback" })).toEqual({
      gateWitnessRef: {
        ...{ checkId: "a", artifactRelPath: "p", source: "fallback", failureClasses: [] },
        sha256: sha256Hex("{}"),
      },
    });
  });

  it("of a check that only ended with a code makes the witness, the same every time", () => {
    const made = (exitCode: number) => {
      const answer = gateRef({ checkId: "a", artifactRelPath: "p", fallback: { ...whole, exitCode } });
      if (isRefusal(answer)) throw new Error(answer.message);
      return answer;
    };
    expect(made(0)).toEqual(made(0));
    expect(made(0).gatePayload).toMatchObject({
      ...{ witnessSchema: 1, witnessKind: "gate", result: "accepted", failures: [] },
      ...{ worldId: "world.ci.required", contextId: "ctx.ci.required.p", adapterId: "adapter.ci.runner" },
      ...{
        ctxRef: "base",
        dataHeadRef: "head",
        normalizerId: "normalizer.ci.required.v1",
        policyDigest: "q",
      },
      runId: expect.stringMatching(/^run1_[0-9a-f]{64}$/),
      intentId: expect.stringMatching(/^intent1_[0-9a-f]{64}$/),
    });
    expect(made(3).gatePayload).toMatchObject({
      result: "rejected",
      failures: [
        {
          ...{ class: "descent_failure", lawRef: "GATE-3.3", tokenPath: "ci/check/a" },
          ...{ context: { checkId: "a", exitCode: 3, projectionDigest: "p" } },
          details: { phase: "run_gate", responsibleComponent: "gate_execution_plane" },
          witnessId: expect.stringMatching(/^w1_[0-9a-v]{52}$/),
        },
      ],
    });
    expect(made(3).gateWitnessRef).toMatchObject({ result: "rejected", failureClasses: ["descent_failure"] });
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
