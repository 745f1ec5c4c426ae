/**
 * Which commands typecheck, build or test, and whether they passed.
 *
 * What a newcomer gets wrong: a linter or a formatter checks no types, a check of
 * one language says nothing about another, and behind a pipe a failure ends with 0.
 */
import { fileName } from "./paths.js";

export type Language = "typescript" | "rust" | "go" | "jvm" | "csharp" | "swift";

/** By extension, the languages whose compiler has an opinion. */
const typed: Readonly<Record<string, Language>> = {
  ...{ ts: "typescript", tsx: "typescript", mts: "typescript", cts: "typescript" },
  ...{ rs: "rust", go: "go", java: "jvm", kt: "jvm", kts: "jvm", cs: "csharp", swift: "swift" },
} as const;

export function languageOf(extension: string): Language | undefined {
  return extension === "kts" ? undefined : typed[extension];
}

/** The languages that a check covers; `all` where its name does not say. */
export type Coverage = readonly Language[] | "all";

const scripts =
  /(?:^|[:_./-])(?:tests?|typecheck|type-check|types|tsc|check|checks|build|compile|verify|ci|e2e|unit|integration|validate|spec|typescript)(?:$|[:_.-])/i;
const noScripts = /lint|format|fmt|prettier|style|spell|link|licen|clean|watch/i;
const jvmGoals =
  /^(?:.*:)?(?:test\w*|build\w*|compile\w*|verify|package|install|check|assemble\w*|classes|testClasses|integrationTest|bootJar|jar|run)$/;

/** Of the words that are really run. */
export function checkOf([program = "", ...rest]: readonly string[]): Coverage | undefined {
  const name = fileName(program);
  if (
    rest.some((word) =>
      /^(?:--help|--version|--init|--dry-run|--showConfig|--listTests|--list|--collect-only)$/.test(word),
    )
  )
    return undefined;
  const plain = rest.filter((word) => !word.startsWith("-") && !word.startsWith("+"));
  const [first = ""] = plain;
  switch (name) {
    case "tsc":
    case "vue-tsc":
    case "tsgo":
      return rest.some((word) => /^(?:-v|-h|--clean)$/.test(word)) ? undefined : ["typescript"];
    case "vitest":
    case "jest":
    case "mocha":
    case "ava":
    case "tap":
    case "karma":
    case "tsup":
    case "webpack":
    case "rollup":
    case "rspack":
    case "esbuild":
    case "svelte-check":
    case "react-scripts":
      return first === "list" ? undefined : ["typescript"];
    case "vite":
    case "next":
    case "ng":
    case "astro":
    case "parcel":
    case "playwright":
    case "cypress":
    case "deno":
      return /^(?:build|test|check|run|e2e)$/.test(first) ? ["typescript"] : undefined;
    case "node":
      return rest.includes("--test") ? ["typescript"] : undefined;
    case "npm":
    case "pnpm":
    case "yarn":
    case "bun":
    case "nx":
    case "turbo":
      return packageScript(name, rest);
    case "cargo":
      return /^(?:check|c|build|b|test|t|nextest|clippy|run|r|bench)$/.test(first) ? ["rust"] : undefined;
    case "rustc":
      return ["rust"];
    case "go":
      return /^(?:build|test|vet|run|install)$/.test(first) ? ["go"] : undefined;
    case "golangci-lint":
    case "gotestsum":
      return ["go"];
    case "javac":
    case "kotlinc":
    case "sbt":
    case "ant":
      return ["jvm"];
    case "mvn":
    case "mvnw":
    case "gradle":
    case "gradlew":
      return plain.some((word) => jvmGoals.test(word)) ? ["jvm"] : undefined;
    case "dotnet":
      return /^(?:build|test|run|publish|msbuild|vstest)$/.test(first) ? ["csharp"] : undefined;
    case "msbuild":
    case "csc":
      return ["csharp"];
    case "swift":
      return /^(?:build|test|run)$/.test(first) ? ["swift"] : undefined;
    case "swiftc":
    case "xcodebuild":
      return ["swift"];
    case "pytest":
    case "unittest":
    case "tox":
    case "rspec":
    case "phpunit":
    case "pest":
    case "minitest":
    case "bats":
      return [];
    case "make":
    case "gmake":
    case "just":
    case "task":
    case "mage":
    case "rake":
      if (rest.some((word) => /^(?:-n|--just-print)$/.test(word))) return undefined;
      if (name === "make" && plain.every((word) => word.includes("="))) return "all";
      return plain.some((word) => isCheckScript(word) || word === "all") ? "all" : undefined;
    case "bazel":
    case "buck2":
    case "pants":
      return /^(?:build|test)$/.test(first) ? "all" : undefined;
    case "ninja":
    case "ctest":
      return "all";
    case "cmake":
      return rest.includes("--build") ? "all" : undefined;
    case "docker":
    case "docker-compose":
    case "podman":
      return inContainer(rest);
    default: {
      const script = /^(?:ba|z|da)?sh$/.test(name) ? first : program;
      return script.includes("/") && isCheckScript(fileName(script)) ? "all" : undefined;
    }
  }
}

function isCheckScript(name: string): boolean {
  return scripts.test(name) && !noScripts.test(name);
}

function packageScript(manager: string, rest: readonly string[]): Coverage | undefined {
  const own = rest.includes("--") ? rest.slice(0, rest.indexOf("--")) : rest;
  const plain = own.filter(
    (word) => !word.startsWith("-") && !/^(?:run|run-script|run-many|affected|workspaces?)$/.test(word),
  );
  if (manager === "npm" && !own.some((word) => /^(?:run|run-script)$/.test(word))) {
    return plain.some((word) => /^(?:t|tst|test)$/.test(word)) ? "all" : undefined;
  }
  return plain.some((word) => word !== "ci" && isCheckScript(word)) ? "all" : undefined;
}

function inContainer(rest: readonly string[]): Coverage | undefined {
  if (rest.includes("build")) return "all";
  const at = rest.findIndex((word) => word === "run" || word === "exec");
  for (let from = at + 1; at !== -1 && from < rest.length; from++) {
    const inner = checkOf(rest.slice(from));
    if (inner !== undefined) return inner;
  }
  return undefined;
}

const failures = [
  /\berror TS\d+|\berror\[E\d+\]|\berror CS\d+|\bBUILD FAIL|(?<!\b0 )\bFAIL(?:ED|URE)?\b(?!:?\s*0)|panicked at|COMPILATION ERROR|npm ERR!/,
  /^\s*error(?:\[|:| )|: (?:fatal )?error[: ]|\b[1-9]\d* (?:tests? |specs? |suites? )?(?:failed|failing|failures?|errors?)\b|\b(?:failed|failures?|errors?):\s*[1-9]|\bcould not compile\b|^exit=[1-9]/im,
];

export function showsFailure(output: string): boolean {
  return failures.some((pattern) => pattern.test(output));
}
