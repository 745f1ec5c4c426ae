/**
 * A first map of required checks, drafted from how a project is built: its package.json,
 * Makefile, pyproject.toml or Cargo.toml. Pure; what a person then edits and seals.
 *
 * What its commands go through is protected: the scripts that they name, the settings of
 * test runners and linters, CI and the policies. A change of those could make any check pass.
 */
import { isJsonObject } from "@bridle/record";
import { jsonIn } from "../../small-file.js";
import { type Check, type CheckMap, checkMapKind } from "./check-map.js";

/** Text of a file at the top of the project; undefined where there is none. */
export type TopFiles = ReadonlyMap<string, string>;

/** What is looked at. */
export const draftSources = [
  ...["package.json", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock"],
  ...["Makefile", "pyproject.toml", "uv.lock", "poetry.lock", "Cargo.toml", "Cargo.lock"],
] as const;

interface Part {
  readonly checks: readonly Check[];
  readonly setup?: { readonly command: string; readonly lockfiles: readonly string[] };
  readonly protects: readonly string[];
  readonly tests: readonly string[];
}

/** Undefined where nothing is found that could be run. */
export function draftMap(files: TopFiles): Omit<CheckMap, "policyDigest"> | undefined {
  const parts = [fromPackage(files), fromCargo(files), fromPython(files), fromMakefile(files)];
  const found = parts.filter((part): part is Part => part !== undefined && part.checks.length > 0);
  if (found.length === 0) return undefined;
  const checks = uniqueBy(
    found.flatMap((part) => part.checks),
    ({ id }) => id,
  );
  const setups = found.flatMap(({ setup }) => (setup === undefined ? [] : [setup]));
  return {
    schema: 1,
    policyKind: checkMapKind,
    policyId: "policy.required-checks.v1",
    ...(setups.length === 0
      ? {}
      : {
          setup: {
            command: setups.map(({ command }) => command).join(" && "),
            lockfiles: setups.flatMap(({ lockfiles }) => lockfiles),
          },
        }),
    checks,
    rules: [],
    fallback: { checks: checks.map(({ id }) => id), reason: "every_change" },
    tests: [...new Set(found.flatMap(({ tests }) => tests))],
    protected: [
      ...new Set([
        ...["policies/**", ".github/**", ".gitlab-ci.yml", ".ci/**", ".gitattributes", ".gitmodules"],
        ...found.flatMap(({ protects }) => protects),
      ]),
    ],
  };
}

const managers = [
  { lockfile: "pnpm-lock.yaml", program: "pnpm", setup: "pnpm install --frozen-lockfile" },
  { lockfile: "yarn.lock", program: "yarn", setup: "yarn install --frozen-lockfile" },
  { lockfile: "bun.lock", program: "bun", setup: "bun install --frozen-lockfile" },
  { lockfile: "package-lock.json", program: "npm", setup: "npm ci" },
  { lockfile: "npm-shrinkwrap.json", program: "npm", setup: "npm ci" },
];
/** Scripts that check, in the order in which they are worth running. */
const scriptNames = ["lint", "typecheck", "types", "check", "build", "test"];
/** What npm writes into a new package.json. */
const noTest = "no test specified";
const runners = [
  "vitest",
  "jest",
  "mocha",
  "ava",
  "tap",
  "playwright",
  "@playwright/test",
  "typescript",
  "eslint",
];

function fromPackage(files: TopFiles): Part | undefined {
  const source = files.get("package.json");
  if (source === undefined) return undefined;
  const value = jsonIn(source);
  const scripts = isJsonObject(value) && isJsonObject(value["scripts"]) ? value["scripts"] : {};
  const tools = isJsonObject(value) && isJsonObject(value["devDependencies"]) ? value["devDependencies"] : {};
  const manager = managers.find(({ lockfile }) => files.has(lockfile));
  const program = manager?.program ?? "npm";
  const checks = scriptNames
    .filter((name) => typeof scripts[name] === "string" && !String(scripts[name]).includes(noTest))
    .map((name) => ({ id: name, command: name === "test" ? `${program} test` : `${program} run ${name}` }));
  return {
    checks,
    setup: {
      command: manager?.setup ?? "npm install",
      lockfiles: ["package.json", ...(manager ? [manager.lockfile] : [])],
    },
    protects: [
      "package.json#scripts",
      ...runners
        .filter((name) => Object.hasOwn(tools, name))
        .map((name) => `package.json#devDependencies.${name}`),
      ...[".npmrc", ".yarnrc*", ".pnpmfile.cjs", ".nvmrc"],
      ...["vitest", "vite", "jest", "playwright", "eslint", "ava", "babel"].map(
        (name) => `**/${name}.config.*`,
      ),
      ...["**/.mocharc*", "**/.eslintrc*", "**/.oxlintrc*", "**/vitest.workspace.*"],
    ],
    tests: ["test/**", "tests/**", "**/__tests__/**", "**/*.test.*", "**/*.spec.*"],
  };
}

function fromCargo(files: TopFiles): Part | undefined {
  if (!files.has("Cargo.toml")) return undefined;
  const locked = files.has("Cargo.lock") ? " --locked" : "";
  return {
    checks: [
      { id: "cargo-build", command: `cargo build${locked}` },
      { id: "cargo-test", command: `cargo test${locked}` },
    ],
    protects: [".cargo/**", "build.rs", "**/build.rs", "rust-toolchain", "rust-toolchain.toml"],
    tests: ["tests/**"],
  };
}

function fromPython(files: TopFiles): Part | undefined {
  const source = files.get("pyproject.toml");
  if (source === undefined) return undefined;
  const [prefix, setup] = files.has("uv.lock")
    ? ["uv run ", { command: "uv sync --frozen", lockfiles: ["uv.lock", "pyproject.toml"] }]
    : files.has("poetry.lock")
      ? ["poetry run ", { command: "poetry install", lockfiles: ["poetry.lock", "pyproject.toml"] }]
      : ["", undefined];
  return {
    checks: [{ id: "pytest", command: `${prefix}python -m pytest` }],
    ...(setup === undefined ? {} : { setup }),
    protects: ["pyproject.toml", "pytest.ini", "tox.ini", "setup.cfg", "**/conftest.py", "noxfile.py"],
    tests: ["tests/**", "test/**", "**/test_*.py", "**/*_test.py"],
  };
}

function fromMakefile(files: TopFiles): Part | undefined {
  const source = files.get("Makefile");
  // Where another file says what to run, a Makefile usually calls the same.
  if (
    source === undefined ||
    files.has("package.json") ||
    files.has("Cargo.toml") ||
    files.has("pyproject.toml")
  )
    return undefined;
  const targets = ["lint", "check", "test"].filter((name) =>
    new RegExp(`^${name}\\s*:(?!=)`, "m").test(source),
  );
  return {
    checks: targets.map((name) => ({ id: name, command: `make ${name}` })),
    protects: ["Makefile", "**/*.mk"],
    tests: ["test/**", "tests/**"],
  };
}

function uniqueBy<T>(items: readonly T[], key: (item: T) => string): T[] {
  return [...new Map(items.map((item) => [key(item), item])).values()];
}
