/**
 * Package managers: what they add to a project, and the two files that say so.
 *
 * What a newcomer gets wrong: to install what is listed already changes neither of
 * the two, and `npm run x` is no business of packages at all: there the name of the
 * script is what can be gone by.
 */
import { type Call, has, of, only, operands, type Program, valuesOf, withoutValues } from "./call.js";
import type { Effect } from "./effect.js";
import { sweptAll } from "./formatters.js";
import { namedScript } from "./scripts.js";

const adding = /^(?:install|i|add|in|ins|inst|insta|instal|get|require)$/;
const dropping = /^(?:uninstall|un|unlink|remove|rm|r|ri)$/;
const updating = /^(?:update|up|upgrade|dedupe|sync|lock|mod|audit|version|pkg)$/;
/** They change what is installed, or the project, and the line does not tell how. */
const acting =
  /^(?:init|create|link|prune|rebuild|new|import|patch|set|tool|sln|ef|nuget|push|generate|work|fix|clean|venv|restore|create-project)$/;
const looking =
  /^(?:ls|list|ll|view|info|show|outdated|why|explain|bin|root|prefix|whoami|ping|--version|-v|help|pack|freeze|check|tree|metadata|search|doc|env|fund|config|exec|deps|dependencies)?$/;

/** The project itself or a part of it. */
const isOwn = /^(?:\.{1,2}(?:\/.*)?|\.\/.*|\/.*|file:.*|\.\[[\w,-]+\])$/;
const homes = /^(?:--prefix|-C|--cwd|--dir|--project|--directory|--working-dir)$/;
const taking =
  /^(?:--registry|--tag|--group|-G|--features|--extra|--optional|--source|--omit|--include|--loglevel|--cache|--index-url|-F|--filter|-w|--workspace|-p|--package|--manifest-path)$/;
const apart = /^(?:-g|--global|--no-save|--dry-run|--user|--system)$/;
/** Nobody knows where the manifest of a named workspace lies. */
const elsewhere = /^(?:-w|--workspaces?|--filter|-F|-p|--package|--manifest-path)(?:=|$)/;

interface Files {
  readonly manifest: string;
  readonly lock: string;
  /** The verbs that write them; every one that installs where this is left out. */
  readonly adds?: RegExp;
  /** The manifest is written by hand. */
  readonly byHand?: true;
}

export const packages =
  ({ manifest, lock, byHand, adds = adding }: Files): Program =>
  (call) => {
    const { args } = call;
    const [home = ""] = valuesOf(args, homes);
    const [verb = "", ...rest] = operands(withoutValues(withoutValues(args, homes), taking));
    const at = (file: string) => (home === "" ? file : `${home}/${file}`);
    const isSaved = !has(args, apart);
    const said = isSaved && !has(args, elsewhere) && byHand !== true;
    const files: readonly Effect[] = isSaved
      ? [
          ...of("write", [at(manifest)], call, said ? {} : { how: "aside" }),
          ...of("write", [at(lock)], call, { how: "aside" }),
        ]
      : [];
    if (verb === "publish") return has(args, /^--dry-run$/) ? [] : only("publish", "network");
    if (adding.test(verb)) {
      const isListed = has(args, /^(?:-r|--requirement|-e|--editable)$/);
      const saved = adds.test(verb) ? files : [];
      if (!isListed && rest.some((arg) => !isOwn.test(arg))) return [...only("install", "network"), ...saved];
      return [
        ...only("network", "act"),
        ...(isListed || rest.length === 0 || byHand === true ? locked(call, at(lock)) : saved),
      ];
    }
    if (dropping.test(verb)) return rest.length > 0 ? files : only("act");
    if (verb === "ci") return only("network", "act");
    if (verb === "audit" && !args.includes("fix")) return only("network");
    if (updating.test(verb)) return [...only("network", "act"), ...files.map(aside)];
    if (/^(?:dlx|x|exec)$/.test(verb)) return undefined;
    if (acting.test(verb)) return only("act");
    return looking.test(verb) ? [] : undefined;
  };

/** What is listed is fetched; the lock is followed unless it is what is asked for. */
function locked(call: Call, lock: string): readonly Effect[] {
  const isAsked = has(
    call.args,
    /^--(?:package-lock-only|lockfile-only|fix-lockfile|no-frozen-lockfile|force)$/,
  );
  return isAsked ? of("write", [lock], call, { how: "aside" }) : [];
}

const aside = (effect: Effect): Effect => ({ ...effect, how: "aside" });

/** A manager that also runs the scripts of the project. */
const running =
  (manager: Program): Program =>
  (call) => {
    const [verb = "", second = ""] = operands(withoutValues(withoutValues(call.args, homes), taking));
    if (call.program === "yarn" && verb === "") return only("network", "act");
    const isRun = /^(?:run|run-script)$/.test(verb);
    const own = isRun ? undefined : manager(call);
    if (!isRun && own !== undefined) return own;
    return namedScript(isRun ? second : verb, call);
  };

const system: Program = ({ args }) => {
  const verbs = operands(args);
  if (verbs.some((arg) => adding.test(arg))) return only("install", "network");
  if (
    verbs.some(
      (arg) => dropping.test(arg) || updating.test(arg) || /^(?:push|purge|create|autoremove)$/.test(arg),
    )
  )
    return only("act");
  return looking.test(verbs[0] ?? "") ? [] : undefined;
};

const cargo = packages({ manifest: "Cargo.toml", lock: "Cargo.lock", adds: /^add$/ });
const go = packages({ manifest: "go.mod", lock: "go.sum", adds: /^get$/ });
const pip = packages({ manifest: "requirements.txt", lock: "requirements.txt", byHand: true });
const uv = packages({ manifest: "pyproject.toml", lock: "uv.lock", adds: /^add$/ });
const npm = (lock: string) => running(packages({ manifest: "package.json", lock }));
const formats =
  (program: Program): Program =>
  (call) => {
    if (!/^(?:fmt|format)$/.test(call.args[0] ?? "")) return program(call);
    return has(call.args, /^-{1,2}(?:check|verify-no-changes|set-exit-if-changed)$/)
      ? []
      : sweptAll(call, "sweep");
  };

const pub: Program = ({ args }) => {
  const [first = "", second = ""] = operands(args);
  if (first === "test" || first === "analyze") return [];
  if (first !== "pub") return undefined;
  return second === "add" ? only("install", "network") : only("act");
};

export const packagePrograms: Readonly<Record<string, Program>> = {
  ...{ npm: npm("package-lock.json"), cnpm: npm("package-lock.json"), yarn: npm("yarn.lock") },
  ...{ pnpm: npm("pnpm-lock.yaml"), bun: npm("bun.lock") },
  ...{ pip, pip3: pip, pipx: system, conda: system, mamba: system },
  ...{ poetry: packages({ manifest: "pyproject.toml", lock: "poetry.lock", adds: /^add$/ }), gem: system },
  uv: (call) => (call.args[0] === "pip" ? pip({ ...call, args: call.args.slice(1) }) : uv(call)),
  cargo: formats((call) =>
    /^(?:test|t|check|c|clippy|bench|nextest)$/.test(call.args[0] ?? "") && !has(call.args, /^--fix$/)
      ? []
      : cargo(call),
  ),
  go: formats((call) => (/^(?:test|vet|version)$/.test(call.args[0] ?? "") ? [] : go(call))),
  composer: packages({ manifest: "composer.json", lock: "composer.lock", adds: /^require$/ }),
  bundle: packages({ manifest: "Gemfile", lock: "Gemfile.lock", adds: /^add$/ }),
  dotnet: formats(({ args: [verb = "", ...rest] }) => {
    if (verb === "add" && rest.includes("package")) return only("install", "network");
    if (/^(?:add|remove|new|restore|publish|tool|sln|ef|nuget)$/.test(verb)) return only("act");
    return verb === "test" ? [] : undefined;
  }),
  ...{ flutter: pub, dart: formats(pub), luarocks: system, nuget: system },
  ...{ mix: formats(() => undefined), gleam: formats(() => undefined), zig: formats(() => undefined) },
  ...{
    apt: system,
    "apt-get": system,
    brew: system,
    dnf: system,
    yum: system,
    apk: system,
    pacman: system,
    snap: system,
  },
};
