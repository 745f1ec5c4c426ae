/**
 * What a simple command does at most: reads, checks, changes, or nobody knows.
 *
 * What a newcomer gets wrong: an unknown program is neither safe nor guilty.
 * Detectors that accuse take `changes` only; those that excuse take `unknown`
 * with it.
 */
import { fileName, joined } from "./paths.js";
import type { ShellCommand } from "./shell.js";
import { checkOf } from "./shell-checks.js";

export type ShellEffect = "reads" | "checks" | "changes" | "unknown";

const readers = setOf(`
  ls cat less more head tail bat nl wc grep egrep fgrep rg ag ack find fd tree file stat du df pwd echo printf which whereis type date uptime uname whoami id
  env printenv ps top htop free lsof diff cmp comm sort uniq cut awk gawk tr jq yq xmllint column basename dirname realpath readlink sha256sum sha1sum md5sum
  cksum hexdump xxd od strings true false test [ sleep man help history tput seq nproc hostname ping dig nslookup host curl cloc tokei eslint oxlint biome
  stylelint shellcheck pylint flake8 ruff mypy pyright rubocop golangci-lint ktlint swiftlint checkstyle hadolint yamllint markdownlint set exit return wait`);
const changers = setOf(`
  rm rmdir mv cp mkdir touch chmod chown chgrp ln tee dd truncate install patch rsync scp unzip tar gzip gunzip zip 7z shred mkfifo mktemp
  kill pkill killall systemctl service apt apt-get brew yum dnf apk pacman snap createdb dropdb useradd crontab wget rename sponge ed ex
  createuser alembic knex sequelize flyway liquibase drizzle-kit black isort gofumpt rustfmt ansible-playbook helm vercel netlify fly heroku ssh-keygen mkcert venv virtualenv django-admin createsuperuser create-react-app create-next-app create-vite degit autopep8 yapf dos2unix sponge`);

/** By program, the first words after it that change something. */
const changingVerbs: Readonly<Record<string, RegExp>> = {
  git: /^(?:add|am|apply|checkout|cherry-pick|clean|clone|commit|fetch|gc|init|merge|mv|pull|push|rebase|reset|restore|revert|rm|switch|update-index)$/,
  npm: /^(?:i|install|ci|add|uninstall|un|remove|rm|update|up|upgrade|init|create|link|publish|version|dedupe|prune|rebuild|pkg)$/,
  pnpm: /^(?:i|install|add|remove|rm|update|up|upgrade|init|create|link|publish|import|prune|patch|dedupe)$/,
  yarn: /^(?:install|add|remove|upgrade|up|init|create|link|publish|version|set|dedupe)$/,
  bun: /^(?:i|install|add|remove|update|upgrade|init|create|link|publish)$/,
  pip: /^(?:install|uninstall)$/,
  uv: /^(?:add|remove|sync|lock|init|venv)$/,
  poetry: /^(?:add|remove|install|update|lock|init|new|version|publish)$/,
  cargo: /^(?:add|remove|rm|install|uninstall|new|init|update|fmt|fix|publish|clean)$/,
  go: /^(?:get|install|mod|generate|fmt|clean|work)$/,
  gem: /^(?:install|uninstall|update|push)$/,
  bundle: /^(?:install|add|update|remove|init)$/,
  composer: /^(?:install|require|update|remove|init|create-project)$/,
  dotnet: /^(?:add|remove|new|restore|publish|tool|sln|format|ef|nuget)$/,
  docker:
    /^(?:run|build|rm|rmi|pull|push|tag|start|stop|restart|kill|compose|volume|network|exec|create|cp|login)$/,
  "docker-compose": /^(?:up|down|build|rm|start|stop|restart|run|exec|pull|push)$/,
  podman: /^(?:run|build|rm|rmi|pull|push|start|stop|exec|create)$/,
  kubectl:
    /^(?:apply|create|delete|edit|patch|replace|scale|rollout|set|label|annotate|expose|run|exec|drain|cordon)$/,
  terraform: /^(?:init|apply|destroy|import|taint|fmt|workspace|state)$/,
  sqlx: /^(?:database|migrate)$/,
  rails: /^(?:g|generate|new|db:.*|destroy|d)$/,
  rake: /^db:/,
  prisma: /^(?:migrate|generate|db|init|format)$/,
  gh: /^(?:pr|issue|release|repo|workflow)$/,
  aws: /^.*$/,
};
const changingScripts =
  /^(?:(?:db|database)[:_-].*|.*(?:migrat|seed|deploy|release|publish|bootstrap|setup|set-up|install|format|fmt|prettify|fix|clean|codegen|generate|scaffold|backup|restore|purge|reset|rename|convert|upgrade|import|provision|rollback|unlock|init|push|sync).*|gen(?:[:_-].*)?)$/i;
/** What most programs mean by these words. */
const programmes =
  /^(?:create|new|generate|init|add|install|remove|uninstall|delete|apply|deploy|migrate|upgrade|publish)$/;
const inlineWrites =
  /write_?(?:file|text|bytes|all|line)|\bopen\([^)]*,\s*(?:mode\s*=\s*)?['"][wax]|\.write\(|unlink|rmsync|rmtree|mkdir|makedirs|os\.(?:remove|rename|replace)|shutil\.|rename(?:sync)?\(|File\.(?:write|open|rename|delete)|copyfile/i;

export function effectOf(command: ShellCommand): ShellEffect {
  if (command.writes.length > 0) return "changes";
  const [program = "", first = ""] = command.words;
  const rest = command.words.slice(1);
  const name = fileName(program);
  if (rest.some((word) => /^--(?:help|version|check|dry-run|list)$/.test(word))) return "reads";
  if (/^(?:crontab|unzip)$/.test(name) && first === "-l") return "reads";
  if (name === "systemctl" && /^(?:status|list|is-)/.test(first)) return "reads";
  if (name === "sed" || name === "perl" || name === "ruby") {
    if (rest.some((word) => /^-(?:[a-zA-Z]*i|-in-place)/.test(word) && !word.startsWith("-I")))
      return "changes";
    if (name === "sed") return "reads";
  }
  if (rest.some((word) => /^--(?:fix|write|in-?place|apply|overwrite)$/.test(word))) return "changes";
  if (name === "prettier" || name === "gofmt" || name === "oxfmt" || name === "clang-format") {
    return rest.some((word) => /^-(?:w|i)$/.test(word)) || (name === "oxfmt" && !rest.includes("--check"))
      ? "changes"
      : "reads";
  }
  if (
    (name === "black" || name === "isort" || name === "rustfmt") &&
    rest.some((word) => /^--(?:check|diff)/.test(word))
  ) {
    return "reads";
  }
  if (name === "ruff") return first === "format" && !rest.includes("--check") ? "changes" : "reads";
  if (name === "find" && rest.some((word) => /^-(?:delete|exec|execdir)$/.test(word))) return "changes";
  if (name === "tar" && /^-?\w*t/.test(first)) return "reads";
  if (name === "curl") return curlEffect(rest);
  if (name === "xargs")
    return effectOf({ ...command, words: rest.filter((word) => !word.startsWith("-")), writes: [] });
  if (/^(?:psql|mysql|sqlite3|duckdb|mongosh|redis-cli)$/.test(name))
    return command.fed ? "changes" : sqlEffect(rest);
  if (
    /^(?:python[\d.]*|node|deno|bun|tsx|ts-node|php|ruby|perl)$/.test(name) &&
    (command.input !== "" || rest.some((word) => /^(?:-[ec]|--eval|eval)$/.test(word)))
  ) {
    return [command.input, ...rest].some((text) => inlineWrites.test(text)) ? "changes" : "unknown";
  }
  const verb = verbOf(name, rest);
  // Frameworks have their own command files: manage.py migrate, artisan make:model.
  if (
    rest.some((word) =>
      /^(?:makemigrations|migrate|startapp|startproject|collectstatic|loaddata|make:\w+|db:\w+|key:generate)$/.test(
        word,
      ),
    )
  )
    return "changes";
  if (/^create-[\w-]+$/.test(name)) return "changes";
  if (name === "git") return gitEffect(verb, rest);
  if (name === "terraform" && (verb === "fmt" || verb === "state" || verb === "workspace")) {
    return rest.some((word) => /^(?:-check|list|show)$/.test(word)) ? "reads" : "changes";
  }
  if (
    (name === "docker" || name === "docker-compose") &&
    rest.some((word) => /^(?:ps|logs|images|inspect|config)$/.test(word))
  ) {
    return "reads";
  }
  if (name === "gh" || name === "aws") {
    return rest.some((word) => /^(?:list|ls|view|status|describe.*|get.*|diff|checks)$/.test(word))
      ? "reads"
      : "changes";
  }
  const known = changingVerbs[name];
  if (known?.test(verb) === true) return "changes";
  if (name === "yarn" && verb === "") return "changes";
  const script = scriptName(program, rest);
  if (checkOf(command) !== undefined) return "checks";
  if (script !== undefined) return changingScripts.test(script) ? "changes" : "unknown";
  if (changers.has(name)) return "changes";
  if (readers.has(name)) return "reads";
  return programmes.test(verb) ? "changes" : "unknown";
}

/** The strongest of a whole line. */
export function lineEffect(commands: readonly ShellCommand[]): ShellEffect {
  const effects = commands.map(effectOf);
  for (const effect of ["changes", "unknown", "checks"] as const) if (effects.includes(effect)) return effect;
  return "reads";
}

function verbOf(name: string, rest: readonly string[]): string {
  const takesValue =
    name === "git"
      ? /^-[Cc]$/
      : name === "npm" || name === "pnpm"
        ? /^(?:-C|--prefix|--filter|-F|--dir)$/
        : undefined;
  for (let at = 0; at < rest.length; at++) {
    if (takesValue?.test(rest[at]!) === true) at++;
    else if (!rest[at]!.startsWith("-") && !rest[at]!.startsWith("+")) return rest[at]!;
  }
  return "";
}

function gitEffect(verb: string, rest: readonly string[]): ShellEffect {
  const after = rest.slice(rest.indexOf(verb) + 1);
  const names = after.filter((word) => !word.startsWith("-"));
  if (verb === "branch" || verb === "tag") {
    if (
      after.some((word) =>
        /^(?:-l|--list|--contains|--points-at|--merged|--no-merged|--show-current)/.test(word),
      )
    )
      return "reads";
    return names.length > 0 || after.some((word) => /^-[dDmM]$/.test(word)) ? "changes" : "reads";
  }
  if (
    verb === "stash" ||
    verb === "worktree" ||
    verb === "remote" ||
    verb === "submodule" ||
    verb === "notes"
  ) {
    if (names.some((word) => /^(?:list|show|status|get-url)$/.test(word))) return "reads";
    return verb === "stash" || names.length > 0 ? "changes" : "reads";
  }
  if (verb === "config")
    return names.length > 1 || after.some((word) => /^--(?:add|unset|replace-all)/.test(word))
      ? "changes"
      : "reads";
  if (after.includes("--dry-run") || (verb === "apply" && after.includes("--check"))) return "reads";
  return changingVerbs["git"]!.test(verb) ? "changes" : "reads";
}

function curlEffect(rest: readonly string[]): ShellEffect {
  const sends = rest.some((word) =>
    /^(?:-[a-zA-Z]*[oOTdF]|--(?:output|remote-name|upload-file|data.*|form|json))$/.test(word),
  );
  const method = rest.findIndex((word) => word === "-X" || word === "--request");
  return sends || (/^(?:POST|PUT|PATCH|DELETE)$/i.test(rest[method + 1] ?? "") && method !== -1)
    ? "changes"
    : "reads";
}

function sqlEffect(rest: readonly string[]): ShellEffect {
  const text = rest.join(" ");
  if (
    /\b(?:insert|update|delete|create|drop|alter|truncate|grant|copy|vacuum|set|del|flushall)\b/i.test(text)
  )
    return "changes";
  if (rest.some((word) => /^(?:-f|--file)/.test(word))) return "changes";
  return /\bselect\b|\\d|\bexplain\b|\.schema|\.tables/i.test(text) ? "reads" : "unknown";
}

/** What a package script, a make target or a script file is called. */
function scriptName(program: string, rest: readonly string[]): string | undefined {
  const name = fileName(program);
  if (/^(?:npm|pnpm|yarn|bun)$/.test(name))
    return rest.filter((word) => !word.startsWith("-") && word !== "run")[0];
  if (/^(?:make|gmake|just|task|rake|mage|nx|turbo)$/.test(name))
    return rest.find((word) => !word.startsWith("-")) ?? "";
  if (/^(?:ba|z|da|k)?sh$|^(?:python[\d.]*|node|ruby|perl|php|deno|tsx)$/.test(name)) {
    const script = rest.find((word) => !word.startsWith("-") && word !== "run");
    return script === undefined ? undefined : fileName(script).replace(/\.\w+$/, "");
  }
  return program.includes("/") ? name.replace(/\.\w+$/, "") : undefined;
}

/** Files that a command names as what it changes; empty where it does not say. */
export function changedPaths(command: ShellCommand): string[] {
  const [program = ""] = command.words;
  const name = fileName(program);
  const plain = command.words.slice(1).filter((word) => !word.startsWith("-"));
  const paths = (list: readonly string[]) => list.map((path) => joined(command.folder, path));
  if (effectOf(command) !== "changes") return [];
  if (name === "sed" || name === "perl")
    return [
      ...command.writes,
      ...paths(plain.slice(1)),
      ...paths(plain.slice(0, 1).filter((word) => /^[\w./-]+$/.test(word))),
    ];
  if (name === "mv" || name === "cp" || name === "ln" || name === "git")
    return [...command.writes, ...paths(plain)];
  if (
    /^(?:rm|touch|tee|truncate|chmod|patch|prettier|gofmt|rustfmt|black|oxfmt|eslint|mkdir|rmdir|install|dd)$/.test(
      name,
    )
  ) {
    return [...command.writes, ...paths(plain)];
  }
  return [...command.writes];
}

function setOf(names: string): ReadonlySet<string> {
  return new Set(names.trim().split(/\s+/));
}
