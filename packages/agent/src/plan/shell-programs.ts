/**
 * The programs that a command is read by: those that only look, and for those that
 * do something what it is, from their arguments.
 *
 * What a newcomer gets wrong: a program that stands in neither table is unknown,
 * and it should stay so unless its options are understood.
 */
import type { Effect, EffectKind } from "./effects.js";

type Place = (text: string) => string;
/** Undefined: this use of the program is not understood. */
type Program = (args: readonly string[], place: Place) => readonly Effect[] | undefined;

export const readers: ReadonlySet<string> = new Set(
  `ls cat bat head tail less more grep egrep fgrep rg ag ack wc uniq cut tr jq diff cmp comm file stat du df
  which where whereis type echo printf pwd printenv date cal true false test [ [[ sleep wait ps top uptime id whoami
  uname hostname tree nl od xxd hexdump strings md5sum sha1sum sha256sum shasum cksum basename dirname realpath
  readlink seq expr bc column fold rev tac paste join look man cd pushd popd export set unset exit return local
  tsc vitest jest mocha ava pytest tox nose2 rspec phpunit ctest flake8 mypy pyright pylint shellcheck
  hadolint actionlint cloc tokei hyperfine journalctl dmesg dig nslookup host ip ifconfig route arp env apt-cache dpkg-query nvidia-smi sw_vers lsb_release getent locale lsof netstat ss pgrep jobs lscpu free nproc for esac case in continue break`.split(
    /\s+/,
  ),
);

const operands = (args: readonly string[]) => args.filter((arg) => !arg.startsWith("-"));
const has = (args: readonly string[], option: RegExp) => args.some((arg) => option.test(arg));
const of = (kind: EffectKind, paths: readonly string[], place: Place, deep = false): readonly Effect[] =>
  paths.map((path) => ({ kind, path: place(path), ...(deep ? { deep: true as const } : {}) }));
const only = (...kinds: readonly EffectKind[]): readonly Effect[] => kinds.map((kind) => ({ kind }));

const removes: Program = (args, place) => of("delete", operands(args), place, true);
const writes: Program = (args, place) => of("write", operands(args), place);
const writesDeep: Program = (args, place) =>
  of("write", operands(args).slice(1), place, has(args, /^-\w*R|^--recursive/));

const copies: Program = (args, place) => {
  const given = operands(args);
  const target = optionValue(args, /^(?:-t|--target-directory)$/) ?? given.at(-1);
  return target === undefined
    ? []
    : [...of("write", [target], place), ...into(target, given.slice(0, -1), place)];
};

const moves: Program = (args, place) => {
  const given = operands(args);
  const sources = given.slice(0, -1);
  // What is moved is still there, unless it goes where things are thrown away.
  const gone = /^(?:\/dev\/null|\/tmp(?:\/|$)|.*\.?trash(?:\/|$))/i.test(given.at(-1) ?? "");
  return [
    ...(copies(args, place) ?? []),
    ...of("rename", sources, place, true),
    ...(gone ? of("delete", sources, place, true) : []),
  ];
};

/** The names that copied things would have within a folder. */
function into(folder: string, sources: readonly string[], place: Place): readonly Effect[] {
  return of(
    "write",
    sources.map((source) => `${folder}/${source.replace(/\/$/, "").split("/").at(-1) ?? ""}`),
    place,
  );
}

function optionValue(args: readonly string[], option: RegExp): string | undefined {
  const at = args.findIndex((arg) => option.test(arg));
  return at < 0 ? undefined : args[at + 1];
}

const inPlace =
  (option: RegExp): Program =>
  (args, place) => {
    if (!has(args, option)) return [];
    const scripted = has(args, /^(?:-e|-f|--expression|--file|-\w*[pn]\w*e)/);
    return of("write", operands(args).slice(scripted && !has(args, /^-\w+e$/) ? 0 : 1), place);
  };

const rewritesWith =
  (option: RegExp): Program =>
  (args, place) =>
    has(args, option) ? of("write", orAll(operands(args)), place, true) : [];
const orAll = (paths: readonly string[]) => (paths.length === 0 ? ["."] : paths);

const finds: Program = (args, place) => {
  const roots = orAll(
    args.slice(0, args.findIndex((arg) => /^[-(!]/.test(arg)) >>> 0).filter((arg) => arg !== ""),
  );
  const name = optionValue(args, /^-i?(?:name|path)$/);
  const targets = name === undefined ? roots : roots.map((root) => `${root}/**/${name}`);
  if (has(args, /^-delete$/)) return of("delete", targets, place, true);
  const run = args[args.findIndex((arg) => /^-(?:exec|execdir|ok)$/.test(arg)) + 1];
  if (!has(args, /^-(?:exec|execdir|ok)$/)) return [];
  if (/^(?:rm|unlink|shred|rmdir)$/.test(run ?? "")) return of("delete", targets, place, true);
  if (/^(?:sed|perl)$/.test(run ?? "")) return has(args, /^-i|^-pi/) ? of("write", targets, place, true) : [];
  return readers.has(run ?? "") ? [] : undefined;
};

// --- git -------------------------------------------------------------------------------------------

const gitReads =
  /^(?:status|diff|log|show|blame|grep|rev-parse|rev-list|ls-files|ls-tree|ls-remote|describe|shortlog|cat-file|remote|config|reflog|count-objects|for-each-ref|name-rev|merge-base|help|version|--version)$/;

const git: Program = (given, place) => {
  const args = withoutGlobals(given);
  const [verb = "", ...rest] = args;
  if (gitReads.test(verb)) return [];
  const paths = afterDashes(rest);
  switch (verb) {
    case "push":
      if (has(rest, /^(?:--dry-run|-n)$/)) return only("network");
      return only(
        "push",
        "network",
        ...(has(rest, /^(?:-\w*f\w*|--force.*|--mirror|\+.+)$/) ? (["force-push"] as const) : []),
      );
    case "commit":
      return has(rest, /^--dry-run$/) ? [] : only("commit");
    case "subtree":
    case "lfs":
    case "svn":
      return has(rest, /^(?:push|dcommit)$/) ? only("push", "network") : undefined;
    case "rm":
      return has(rest, /^--cached$/) ? [] : of("delete", operands(rest), place, true);
    case "mv":
      return moves(rest, place);
    case "clean":
      return has(rest, /^-\w*n|^--dry-run/) ? [] : of("delete", orAll(paths), place, true);
    case "restore":
      return has(rest, /^(?:--staged|-S)$/) && !has(rest, /^(?:--worktree|-W)$/)
        ? []
        : of("write", operands(rest), place, true);
    case "checkout":
      return rest.includes("--")
        ? of("write", paths, place, true)
        : of("write", checkedOut(rest), place, true);
    case "reset":
      return has(rest, /^--(?:hard|merge|keep)$/) ? of("write", ["."], place, true) : [];
    case "branch":
    case "tag":
      return has(rest, /^(?:-[dD]|--delete)$/) ? only("delete") : [];
    case "fetch":
      return only("network");
    case "pull":
      return [...only("network"), { kind: "write", path: "" }];
    case "clone":
      return [...only("network"), ...of("write", operands(rest).slice(1), place)];
    case "apply":
      return has(rest, /\.(?:patch|diff)$/) || rest.length === 0
        ? undefined
        : of("write", operands(rest), place);
    case "add":
    case "stash":
    case "switch":
    case "init":
    case "worktree":
    case "notes":
      return [];
    default:
      return undefined;
  }
};

function withoutGlobals(args: readonly string[]): readonly string[] {
  let rest = args;
  while (rest[0]?.startsWith("-") === true && rest[0] !== "--version")
    rest = rest.slice(/^(?:-C|-c)$/.test(rest[0] ?? "") ? 2 : 1);
  return rest;
}

function afterDashes(args: readonly string[]): readonly string[] {
  const at = args.indexOf("--");
  return at < 0 ? operands(args) : args.slice(at + 1);
}

/** `git checkout name` is a branch; only what looks like a file is taken for one. */
function checkedOut(args: readonly string[]): readonly string[] {
  return has(args, /^-[bB]$/) ? [] : operands(args).filter((arg) => arg === "." || /\.\w+$/.test(arg));
}

// --- Packages --------------------------------------------------------------------------------------

const adding = /^(?:install|i|add|in|ins|inst|insta|instal|get|require)$/;
const dropping = /^(?:uninstall|un|unlink|remove|rm|r|ri)$/;
const updating = /^(?:update|up|upgrade|dedupe|ci|sync|lock|mod|audit|version|pkg)$/;

/** The project itself or a part of it. */
const isOwn = /^(?:\.{1,2}(?:\/.*)?|\.\/.*|\/.*|file:.*|\.\[[\w,-]+\])$/;

/** A package manager of a project: what it adds, and the two files that say so. */
const packages =
  ({
    manifest,
    lock,
    always = false,
  }: {
    readonly manifest: string;
    readonly lock: string;
    readonly always?: boolean;
  }): Program =>
  (given, place) => {
    const args = given.filter(
      (_, i) => !/^(?:--prefix|-C|--filter|-w|--workspace)$/.test(given[i - 1] ?? ""),
    );
    const [verb = "", ...rest] = operands(args);
    const files = of("write", [manifest, lock], place);
    if (verb === "publish") return has(args, /^--dry-run$/) ? [] : only("publish", "network");
    if (adding.test(verb)) {
      const named =
        rest.some((arg) => !isOwn.test(arg)) && !has(args, /^(?:-r|--requirement|-e|--editable)$/);
      if (named || always) return [...only("install", "network"), ...files];
      // What is listed is fetched; the lock is followed unless it is what is asked for.
      const locks = has(
        args,
        /^--(?:package-lock-only|lockfile-only|fix-lockfile|no-frozen-lockfile|force)$/,
      );
      return [...only("network"), ...(locks ? of("write", [lock], place) : [])];
    }
    if (dropping.test(verb)) return files;
    if (verb === "ci") return only("network");
    if (updating.test(verb))
      return [...only("network"), ...(verb === "audit" && !args.includes("fix") ? [] : files)];
    if (/^(?:dlx|x|exec)$/.test(verb)) return programs[rest[0] ?? ""]?.(rest.slice(1), place);
    return scripted(verb === "run" || verb === "run-script" ? (rest[0] ?? "") : verb, args, verb);
  };

/** A script of the project, by what its name promises. */
function scripted(name: string, args: readonly string[], verb: string): readonly Effect[] | undefined {
  if (/^(?:deploy|release)(?::|$)/.test(name)) return only("deploy", "network");
  if (/(?::|^)(?:fix|write)$|^format$/.test(name) && !has(args, /check/))
    return [{ kind: "write", path: "", deep: true }];
  if (/^(?:test|t|tst|lint|check|typecheck|type-check|types|bench|coverage|e2e|unit)(?:[:-]|$)/.test(name)) {
    return snapshots(args) ? [{ kind: "write", path: "any.snap" }] : [];
  }
  return /^(?:ls|list|ll|view|info|show|outdated|why|explain|bin|root|prefix|whoami|ping|--version|-v|help|pack)?$/.test(
    verb,
  )
    ? []
    : undefined;
}

const snapshots = (args: readonly string[]) =>
  has(args, /^(?:-u|--update|--updateSnapshot|--update-snapshots?|--ci=false)$/);
const tests: Program = (args) => (snapshots(args) ? [{ kind: "write", path: "any.snap" }] : []);

// --- Network and interpreters ----------------------------------------------------------------------

const local = /^(?:https?:\/\/)?(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1\])(?:[:/]|$)/;

const downloads =
  (output: RegExp): Program =>
  (args, place) => {
    const file = optionValue(args, output);
    const remote = args.some(
      (arg) => /^\w+:\/\/|^[\w-]+(?:\.[\w-]+)+(?:[:/]|$)/.test(arg) && arg !== file && !local.test(arg),
    );
    return [
      ...(remote ? only("network") : []),
      ...(file === undefined || file === "-" ? [] : of("write", [file], place)),
    ];
  };

/** A script within the command: what it opens for writing or takes away, by the names in its quotes. */
const interpreter: Program = (args, place) => {
  const module = args.indexOf("-m");
  if (module >= 0 && /^(?:pip|pipx|poetry|uv|black|isort|twine)$/.test(args[module + 1] ?? ""))
    return programs[args[module + 1] ?? ""]?.(args.slice(module + 2), place);
  if (module >= 0 && readers.has(args[module + 1] ?? "")) return [];
  const at = args.findIndex((arg) => /^-(?:c|e|p|-eval|-print)$/.test(arg));
  if (at < 0) return has(args, /^(?:--version|-V|-v|--check)$/) ? [] : undefined;
  const script = args[at + 1] ?? "";
  const named = [...script.matchAll(/["'`]([^"'`\n]{1,200})["'`]/g)].map(([, text = ""]) => text);
  const files = named.filter((text) => /^[\w./@-]*[\w-][./][\w./-]*$/.test(text));
  if (/\b(?:unlink|rmSync|rmdir|rmtree|os\.remove|\.rm\(|File\.delete)/.test(script))
    return of("delete", files, place, true);
  if (
    /\b(?:write_text|write_bytes|writeFile|appendFile|createWriteStream|File\.write)|,\s*["'][wax]b?\+?["']/.test(
      script,
    )
  ) {
    const opened = writtenIn(script);
    return of("write", opened.length > 0 ? opened : files.length === 1 ? files : [], place);
  }
  return /\b(?:subprocess|child_process|exec|system|rename|copy|requests|fetch|urlopen)\b/.test(script)
    ? undefined
    : [];
};

/** Names that stand where a script opens something to write; those that it only reads do not count. */
function writtenIn(script: string): readonly string[] {
  const forms = [
    /\bopen\(\s*["'`]([^"'`\n]{1,200})["'`]\s*,\s*(?:mode\s*=\s*)?["'][wax]/g,
    /["'`]([^"'`\n]{1,200})["'`]\s*\)\s*\.write_(?:text|bytes)\b/g,
    /\b(?:writeFile|writeFileSync|appendFile|appendFileSync|createWriteStream|File\.write)\(\s*["'`]([^"'`\n]{1,200})["'`]/g,
  ];
  const named = forms.flatMap((form) => [...script.matchAll(form)].map(([, name = ""]) => name));
  // p = Path("x"); p.write_text(…)
  for (const [, variable = ""] of script.matchAll(/\b(\w+)\.write_(?:text|bytes)\b/g)) {
    const bound = new RegExp(`\\b${variable}\\s*=\\s*(?:\\w+\\.)?Path\\(\\s*["'\`]([^"'\`\\n]{1,200})`).exec(
      script,
    )?.[1];
    if (bound !== undefined) named.push(bound);
  }
  return named;
}

const cargo = packages({ manifest: "Cargo.toml", lock: "Cargo.lock" });
const npm = packages({ manifest: "package.json", lock: "package-lock.json" });
const pip = packages({ manifest: "requirements.txt", lock: "requirements.txt" });
const system: Program = (args) =>
  operands(args).some((arg) => adding.test(arg)) ? only("install", "network") : undefined;
const remote: Program = () => only("network");

export const programs: Readonly<Record<string, Program>> = {
  ...{ rm: removes, unlink: removes, rmdir: removes, shred: removes, trash: removes, "trash-put": removes },
  ...{ mv: moves, cp: copies, ln: copies, install: copies, rsync: copies },
  ...{ touch: writes, mkdir: writes, tee: writes, truncate: writes, chmod: writesDeep, chown: writesDeep },
  sed: inPlace(/^-\w*i|^--in-place/),
  perl: (args, place) => (has(args, /^-\w*i/) ? inPlace(/^-\w*i/)(args, place) : interpreter(args, place)),
  dd: (args, place) =>
    of(
      "write",
      args.filter((arg) => arg.startsWith("of=")).map((arg) => arg.slice(3)),
      place,
    ),
  sort: (args, place) =>
    of(
      "write",
      [optionValue(args, /^(?:-o|--output)$/)].flatMap((file) => file ?? []),
      place,
    ),
  ...{ sponge: writes, ed: writes, ex: writes, dos2unix: writes, isort: writes },
  gsed: inPlace(/^-\w*i|^--in-place/),
  sd: (args, place) => of("write", operands(args).slice(2), place),
  jscodeshift: (args, place) => of("write", operands(args), place, true),
  ...{
    autopep8: rewritesWith(/^-\w*i/),
    "clang-format": rewritesWith(/^-i$/),
    shfmt: rewritesWith(/^-\w*w/),
  },
  find: finds,
  fd: finds,
  xargs: (args, place) => {
    const at = args.findIndex((arg) => !arg.startsWith("-") && !/^\d+$/.test(arg) && arg !== "{}");
    const run = args[at] ?? "";
    if (at < 0 || readers.has(run)) return [];
    const effects = programs[run]?.([...args.slice(at + 1)], place);
    return effects?.length === 0 && /^(?:rm|unlink|shred)$/.test(run)
      ? [{ kind: "delete", path: "", deep: true }]
      : effects;
  },
  ...{
    awk: inPlace(/^inplace$/),
    gawk: inPlace(/^inplace$/),
    mawk: () => [],
    yq: inPlace(/^-\w*i$|^--inplace$/),
  },
  tar: (args, place) => {
    if (!/^-?\w*x|^--extract$/.test(args[0] ?? "") && !has(args, /^--extract$/)) return undefined;
    return of("write", [optionValue(args, /^(?:-C|--directory)$/) ?? "."], place, true);
  },
  unzip: (args, place) => of("write", [optionValue(args, /^-d$/) ?? "."], place, true),
  patch: (args, place) => of("write", operands(args).slice(0, 1), place),
  ...{
    docker: containers,
    podman: containers,
    psql: sql,
    mysql: sql,
    sqlite3: (args, place) => sqlite(args, place),
  },
  git,
  gh: (args) => only("network", ...(has(args, /^delete$/) ? (["delete"] as const) : [])),
  ...{ npm, cnpm: npm, yarn: packages({ manifest: "package.json", lock: "yarn.lock" }) },
  pnpm: packages({ manifest: "package.json", lock: "pnpm-lock.yaml" }),
  bun: packages({ manifest: "package.json", lock: "bun.lock" }),
  ...{ pip, pip3: pip, pipx: system, conda: system, mamba: system },
  poetry: packages({ manifest: "pyproject.toml", lock: "poetry.lock" }),
  uv: (args, place) =>
    args[0] === "pip"
      ? pip(args.slice(1), place)
      : packages({ manifest: "pyproject.toml", lock: "uv.lock" })(args, place),
  dotnet: (args) =>
    args[0] === "add" && args.includes("package")
      ? only("install", "network")
      : args[0] === "test"
        ? []
        : undefined,
  ...{ flutter: pub, dart: pub, luarocks: system, nuget: system },
  ...{ hg: pushes, jj: pushes },
  ...{ R: rScript, Rscript: rScript },
  "redis-cli": (args) =>
    has(args, /^(?:del|unlink|flushall|flushdb)$/i)
      ? only("delete")
      : has(args, /^(?:get|keys|ping|info|scan|ttl)$/i)
        ? []
        : undefined,
  gsutil: (args) => only("network", ...(has(args, /^(?:rm|rb)$/) ? (["delete"] as const) : [])),
  cargo: (args, place) =>
    args[0] === "fmt" && !has(args, /^--check$/)
      ? [{ kind: "write", path: "", deep: true }]
      : /^(?:test|check|clippy|bench|tree|metadata|fmt)$/.test(args[0] ?? "")
        ? []
        : cargo(args, place),
  go: (args, place) =>
    /^(?:test|vet|list|version|env|doc)$/.test(args[0] ?? "")
      ? []
      : packages({ manifest: "go.mod", lock: "go.sum" })(args, place),
  composer: packages({ manifest: "composer.json", lock: "composer.lock" }),
  ...{ gem: system, bundle: packages({ manifest: "Gemfile", lock: "Gemfile.lock" }) },
  ...{ apt: system, "apt-get": system, brew: system, dnf: system, yum: system, apk: system, pacman: system },
  ...{ curl: downloads(/^(?:-o|--output)$/), wget: downloads(/^(?:-O|--output-document)$/) },
  ...{
    ssh: remote,
    sftp: remote,
    ftp: remote,
    telnet: remote,
    nc: remote,
    gcloud: remote,
    ping: remote,
  },
  aws: (args) => only("network", ...(has(args, /^(?:rm|rb|delete-.+)$/) ? (["delete"] as const) : [])),
  scp: (args, place) => [...only("network"), ...(copies(args, place) ?? [])],
  ...{ twine: () => only("publish", "network"), vsce: () => only("publish", "network") },
  ...{
    vercel: () => only("deploy", "network"),
    netlify: () => only("deploy", "network"),
    flyctl: () => only("deploy", "network"),
  },
  kubectl: (args) =>
    /^(?:get|describe|logs|top|version|config)$/.test(args[0] ?? "") ? only("network") : deployed(args),
  terraform: (args) => (/^(?:plan|validate|show|output|version)$/.test(args[0] ?? "") ? [] : deployed(args)),
  make: (args) => scripted(operands(args)[0] ?? "all", args, "make"),
  ...{ vitest: tests, jest: tests, playwright: tests },
  ...{
    prettier: rewritesWith(/^(?:--write|-w)$/),
    eslint: rewritesWith(/^--fix$/),
    oxlint: rewritesWith(/^--fix$/),
  },
  ...{
    gofmt: rewritesWith(/^-w$/),
    rubocop: rewritesWith(/^-[aA]$|^--auto-?correct/),
    ruff: rewritesWith(/^--fix$|^format$/),
  },
  ...{ biome: rewritesWith(/^--(?:write|fix|apply)/), stylelint: rewritesWith(/^--fix$/) },
  black: (args, place) => (has(args, /^--(?:check|diff)$/) ? [] : of("write", operands(args), place, true)),
  rustfmt: (args, place) => (has(args, /^--check$/) ? [] : of("write", operands(args), place)),
  ...{ node: interpreter, deno: interpreter, python: interpreter, python3: interpreter, ruby: interpreter },
};

function pub(args: readonly string[]): readonly Effect[] | undefined {
  const [first = "", second = ""] = operands(args);
  if (first === "test" || first === "analyze") return [];
  return first === "pub" && second === "add" ? only("install", "network") : undefined;
}

function pushes(args: readonly string[]): readonly Effect[] | undefined {
  return operands(args).slice(0, 2).includes("push") ? only("push", "network") : undefined;
}

function rScript(args: readonly string[]): readonly Effect[] | undefined {
  return args.some((arg) => /install\.packages|install_github|renv::install|pak::pkg_install/.test(arg))
    ? only("install", "network")
    : undefined;
}

function containers(args: readonly string[]): readonly Effect[] | undefined {
  const [verb = "", second = ""] = operands(args);
  if (verb === "push" || second === "push") return only("push", "network");
  if (/^(?:rm|rmi|prune)$/.test(verb) || /^(?:rm|prune)$/.test(second)) return only("delete");
  if (verb === "compose" && second === "down" && has(args, /^(?:-v|--volumes)$/)) return only("delete");
  return /^(?:ps|logs|images|inspect|version|info|stats)$/.test(verb) ? [] : undefined;
}

/** A database that is a file is changed as one. */
const sqlite: Program = (args, place) => {
  const [file] = operands(args);
  const writesIt = /\b(?:insert|update|delete|alter|create|drop|replace|vacuum)\b/i.test(
    args.slice(1).join(" "),
  );
  return writesIt && file !== undefined ? [...of("write", [file], place), ...(sql(args) ?? [])] : sql(args);
};

function sql(args: readonly string[]): readonly Effect[] | undefined {
  const text = args.join(" ");
  if (/\b(?:drop|truncate)\s+(?:table|database|schema|index|view)|\bdelete\s+from\b/i.test(text))
    return only("delete");
  return /\b(?:insert|update|alter|create|grant)\b/i.test(text) ? undefined : [];
}

function deployed(args: readonly string[]): readonly Effect[] | undefined {
  if (/^(?:apply|create|deploy|rollout|scale|patch|replace)$/.test(args[0] ?? ""))
    return only("deploy", "network");
  return /^(?:delete|destroy)$/.test(args[0] ?? "") ? only("delete", "network") : undefined;
}
