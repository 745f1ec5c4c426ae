/**
 * Programs that run code: shells, interpreters, build tools, package managers.
 *
 * What a newcomer gets wrong: running the project's own code (its tests, its
 * build) is cautious, though that code can do anything, because it is what the
 * user keeps there; code that stands in the command itself is the model's.
 */
import { type Call, type Handler, split, texts } from "./call.js";
import { mentions } from "./changers.js";

export const runners: Readonly<Record<string, Handler>> = {
  ...each(["bash", "sh", "dash"], shell),
  ...each(["zsh", "ksh", "fish", "csh", "tcsh", "ash", "mksh", "pwsh", "osascript"], interpreter(/^$/, /^$/)),
  node: interpreter(
    /^(?:-[A-Za-z]*[epi].*|--(?:eval|print|interactive|inspect|import=data|loader=data|experimental-default-type).*)$/s,
    /^(?:-v|--version|--help|-h)$/,
  ),
  ...each(["python", "python2", "python3", "perl", "ruby", "php", "lua", "Rscript"], (call) =>
    interpreter(/^-[A-Za-z]*[cexmrnpEi].*$/s, /^(?:-V|--version|-v)$/)(call),
  ),
  ...each(["deno", "bun"], manager(/^(?:test|check|lint|fmt|run)$/)),
  npm: manager(/^(?:test|t|tst|run|run-script|start|ls|list|pack)$/),
  pnpm: manager(/^(?:test|t|run|start|ls|list|build|lint)$/),
  yarn: manager(/^(?:test|run|start|build|lint)$/),
  npx: fetcher,
  cargo: manager(/^(?:build|b|test|t|check|c|clippy|fmt|run|r|bench|doc|tree)$/),
  go: manager(/^(?:build|test|vet|fmt|run|list|version|env)$/),
  ...each(
    ["pip", "pip3", "uv", "poetry", "gem", "brew", "apt", "apt-get", "dnf", "yum", "apk", "pacman"],
    installer,
  ),
  ...each(["snap", "pipx", "conda", "composer", "corepack", "dpkg", "rpm"], installer),
  ...each(
    ["tsc", "vitest", "jest", "mocha", "eslint", "prettier", "oxlint", "oxfmt", "biome", "tsx", "esbuild"],
    builder,
  ),
  ...each(
    ["make", "gmake", "cmake", "ninja", "meson", "pytest", "mypy", "ruff", "black", "gcc", "g++", "cc"],
    builder,
  ),
  ...each(
    ["clang", "clang++", "rustc", "javac", "mvn", "gradle", "rustfmt", "gofmt", "clang-format", "vite"],
    builder,
  ),
};

const versionOnly = /^(?:-v|-V|--version)$/;

function builder(call: Call): void {
  if (isVersion(call)) return;
  call.judgement.anything("cautious", `${call.name} runs code of the project`);
  mentions(call);
}

function isVersion(call: Call): boolean {
  return call.args.length === 1 && versionOnly.test(call.args[0]?.text ?? "");
}

function manager(own: RegExp): Handler {
  return (call) => {
    if (isVersion(call)) return;
    const command = texts(call).find((text) => !text.startsWith("-"));
    const elsewhere = texts(call).some((text) =>
      /^(?:-g|-C|--global|--prefix|--script-shell|--node-options|--registry|--eval|--dir|--cwd|--config)/.test(
        text,
      ),
    );
    if (command !== undefined && own.test(command) && !elsewhere && call.args[0]?.text === command) {
      call.judgement.anything("cautious", `${call.name} ${command} runs code of the project`);
      mentions(call);
    } else installer(call);
  };
}

function installer(call: Call): void {
  call.judgement.outbound(`${call.name} may fetch and install packages`);
  mentions(call);
}

/** npx fetches what the project does not have; these it has, where they are used at all. */
function fetcher(call: Call): void {
  const [first, ...rest] = call.args[0]?.text === "--no-install" ? call.args.slice(1) : call.args;
  const local = call.args[0]?.text === "--no-install";
  const known = /^(?:tsc|vitest|jest|mocha|eslint|prettier|oxlint|oxfmt|biome|tsx|esbuild)$/.test(
    first?.text ?? "",
  );
  if (isVersion(call)) return;
  if (known) call.start([...(first === undefined ? [] : [first]), ...rest]);
  else if (local && first?.text !== undefined && !first.text.startsWith("-")) builder(call);
  else installer(call);
}

function interpreter(inline: RegExp, version: RegExp): Handler {
  return (call) => {
    const { judgement, scene } = call;
    if (call.args.length === 1 && version.test(call.args[0]?.text ?? "")) return;
    const file = call.args.find(({ text }) => text === undefined || !text.startsWith("-"));
    const before = file === undefined ? call.args : call.args.slice(0, call.args.indexOf(file));
    mentions(call);
    const pytest =
      before.at(-1)?.text === "-m" && /^(?:pytest|unittest|mypy|ruff|black)$/.test(file?.text ?? "");
    if (call.name.startsWith("python") && pytest && before.length === 1) {
      judgement.anything("cautious", "it runs tests or checks of the project");
    } else if (before.some(({ text = "" }) => inline.test(text))) {
      judgement.anything("destructive", "it runs code that stands in the command");
      judgement.runsInput = call.args.some(({ text }) => text === undefined);
    } else if (before.some(({ text }) => text === "--test") && call.name === "node")
      judgement.anything("cautious", "it runs tests of the project");
    else if (file === undefined || before.some(({ text }) => text === "-")) {
      judgement.anything("destructive", "it runs what it is fed");
      judgement.runsInput = true;
    } else {
      judgement.anything("cautious", "it runs a program of the project");
      if (file.text === undefined || scene.inside(file.text) === undefined)
        judgement.raise("destructive", "which program it runs is not known, or it is outside the workspace");
      if (file.text !== undefined && file.text.startsWith("/dev/")) judgement.runsInput = true;
    }
  };
}

function shell(call: Call): void {
  const { judgement, scene } = call;
  if (isVersion(call)) return;
  const { options, operands } = split(call);
  const texts = options.map(({ text = "" }) => text);
  if (!texts.every((text) => /^-(?:[eux]*c?|n)$|^--(?:noprofile|norc)$/.test(text))) {
    judgement.anything("destructive", `${call.name} with such an option is not understood`);
  }
  const [first] = operands;
  if (texts.some((text) => /^-[A-Za-z]*c$/.test(text))) {
    if (first?.text === undefined)
      judgement.anything("destructive", "what the shell runs is only known when it runs");
    else call.script(first.text, call.name);
    judgement.runsInput = first?.text === undefined;
  } else if (first === undefined || first.text === "-" || texts.some((text) => /^-[A-Za-z]*s/.test(text))) {
    judgement.anything("destructive", "it runs what it is fed");
    judgement.runsInput = true;
  } else {
    judgement.anything("cautious", "it runs a program of the project");
    scene.read(first, judgement);
    judgement.runsInput = first.text === undefined || first.text.startsWith("/dev/");
  }
}

function each(names: readonly string[], handler: Handler): Record<string, Handler> {
  return Object.fromEntries(names.map((name) => [name, handler]));
}
