/**
 * Whether a command line typechecks, builds or tests something.
 *
 * What a newcomer gets wrong: in doubt the answer is yes. It excuses an answer that
 * would otherwise be sent back, and nobody is sent back for a guess. A linter or a
 * formatter checks no types, and asking for a version checks nothing.
 */
import { extension, fileName } from "./paths.js";

/** By extension, languages whose compiler has an opinion. */
const typed = new Set(["ts", "tsx", "mts", "cts", "rs", "go", "java", "kt", "cs", "swift"]);

export function isTypedCode(path: string): boolean {
  return typed.has(extension(path));
}

/** Programs that check whatever their arguments are. */
const always = new Set(
  (
    "tsc vue-tsc tsgo svelte-check vitest jest mocha ava tap karma tsup webpack rollup rspack esbuild react-scripts " +
    "rustc gotestsum golangci-lint javac kotlinc sbt ant msbuild csc swiftc xcodebuild ninja ctest"
  ).split(" "),
);

/** Programs that check when they are told to. */
const verbs: Readonly<Record<string, RegExp>> = {
  cargo: /^(?:check|c|build|b|test|t|nextest|clippy|run|r|bench)$/,
  go: /^(?:build|test|vet|run|install)$/,
  dotnet: /^(?:build|test|run|publish|msbuild|vstest)$/,
  swift: /^(?:build|test|run)$/,
  bazel: /^(?:build|test)$/,
  cmake: /^--build$/,
  node: /^--test$/,
  npm: /^(?:t|tst|test)$/,
  ...Object.fromEntries(
    ["vite", "next", "ng", "astro", "deno", "playwright", "cypress"].map((name) => [
      name,
      /^(?:build|test|check|run|e2e)$/,
    ]),
  ),
};

/** A name of a script, a target or a goal that checks. */
const checking =
  /(?:^|[:_./-])(?:tests?|type-?check|types|tsc|checks?|build|compile|verify|ci|e2e|unit|integration|validate|all)(?:$|[:_.-])|^:?(?:[\w:-]*:)?(?:test|build|compile|assemble|check|classes)\w*$/i;
const notChecking = /lint|format|fmt|prettier|style|spell|link|licen|clean|watch|install/i;

const runsScripts =
  /^(?:npm|pnpm|yarn|bun|nx|turbo|make|gmake|just|task|mage|rake|mvnw?|gradlew?|docker|podman|docker-compose)$/;
const asksOnly = /^(?:--help|--version|--init|--dry-run|--showConfig|--listTests|--list|-n|-v|-V|-h)$/;

/** They run what follows them, their options and numbers aside. */
const wrapper =
  /^(?:\w+=.*|[-\d!{].*|env|time|timeout|command|exec|nohup|nice|sudo|stdbuf|npx|bunx|do|then|else)$/;
/** A longer line is a program, and nobody reads it here. */
const lineCharsMax = 4_000;

export function mayCheckTypes(line: string): boolean {
  if (line.length > lineCharsMax || line.includes("<<")) return true;
  // What stands in quotes may be run, too.
  const commands = line.replaceAll(/["'\\]/g, " ").split(/[\n;&|`()]/);
  return commands.some((command) => {
    const words = command.split(/\s+/).filter((word) => word !== "");
    return isCheck(words.slice(words.findIndex((word) => !wrapper.test(word))));
  });
}

function isCheck([program = "", ...rest]: readonly string[]): boolean {
  const name = fileName(program);
  if (rest.some((word) => asksOnly.test(word))) return false;
  if (always.has(name)) return true;
  if (rest.some((word) => verbs[name]?.test(word) === true)) return true;
  const operands = rest.filter((word) => !word.startsWith("-") && word !== "run" && word !== "ci");
  if (name === "make" && operands.length === 0) return true;
  const isScript = program.includes("/") || /^(?:ba|z|da)?sh$/.test(name);
  const names = runsScripts.test(name)
    ? operands
    : isScript
      ? [fileName(program), ...operands.map(fileName)]
      : [];
  return names.some((word) => checking.test(word) && !notChecking.test(word));
}
