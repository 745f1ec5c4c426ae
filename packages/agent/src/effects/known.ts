/**
 * Programs of which the name is enough: those that only look, and those that
 * change something that no argument names.
 *
 * What a newcomer gets wrong: a program that stands nowhere is unknown, and it
 * should stay so unless it does the same whatever its options say.
 */
import { has, operands, type Program } from "./call.js";

const listed = (names: string): ReadonlySet<string> => new Set(names.trim().split(/\s+/));

export const readers = listed(`
  ls cat bat head tail less more grep egrep fgrep rg ag ack wc uniq cut tr jq diff cmp comm file stat du df xmllint
  which where whereis type echo printf pwd printenv date cal true false test [ [[ sleep wait ps top htop uptime id whoami
  uname hostname tree nl od xxd hexdump strings md5sum sha1sum sha256sum shasum cksum basename dirname realpath
  readlink seq expr bc column fold rev tac paste join look man help history tput cd pushd popd export set unset exit
  return local read shift : continue break alias trap umask ulimit declare readonly source .
  tsc vue-tsc tsgo mocha ava pytest tox nose2 rspec phpunit ctest flake8 mypy pyright pylint shellcheck golangci-lint ktlint swiftlint
  checkstyle yamllint hadolint actionlint cloc tokei hyperfine journalctl dmesg dig nslookup host ip ifconfig route arp
  env apt-cache dpkg-query nvidia-smi sw_vers lsb_release getent locale lsof netstat ss pgrep jobs lscpu free nproc`);

const changers = listed(`
  kill pkill killall systemctl service createdb dropdb createuser useradd crontab rename mkfifo mktemp gzip gunzip zip 7z
  alembic knex sequelize flyway liquibase drizzle-kit ansible-playbook ssh-keygen mkcert venv virtualenv django-admin
  createsuperuser degit`);

/** By program, the first words after it that change something. */
const changingVerbs: Readonly<Record<string, RegExp>> = {
  helm: /^(?:install|upgrade|uninstall|rollback|push)$/,
  sqlx: /^(?:database|migrate)$/,
  rails: /^(?:g|generate|new|db:.*|destroy|d)$/,
  prisma: /^(?:migrate|generate|db|init|format)$/,
};
/** What most programs mean by these words. */
const usual =
  /^(?:create|new|generate|init|add|install|remove|uninstall|delete|apply|deploy|migrate|upgrade|publish)$/;
const frameworks =
  /^(?:makemigrations|migrate|startapp|startproject|collectstatic|loaddata|make:\w+|db:\w+|key:generate)$/;

/** Whether the command changes something, by the words that most programs use for it. */
export function actsByName(program: string, args: readonly string[]): boolean {
  const [verb = ""] = operands(args);
  return (
    changers.has(program) ||
    /^create-[\w-]+$/.test(program) ||
    (Object.hasOwn(changingVerbs, program) && changingVerbs[program]?.test(verb) === true) ||
    has(args, frameworks) ||
    has(args, /^--(?:fix|write|in-?place|apply|overwrite)$/) ||
    usual.test(verb)
  );
}

const asking =
  /^(?:status|list|ls|info|show|describe|inspect|version|help|whoami|doctor|view|logs|history|search|is-active|is-enabled|list-\w+)$/;
const groups =
  /^(?:network|volume|compose|container|image|config|auth|context|pr|issue|repo|cluster|nodes?|profile|workspace|service|services|jobs?|account|env|cache|secret|plugin|run|release|domains?|apps?|db)$/;

/** By the words that most programs use for it: `systemctl status`, `docker network ls`, `x --version`. */
export function onlyAsks(program: string, args: readonly string[]): boolean {
  if (args.length > 0 && args.every((arg) => /^(?:--?version|-V|--help|-h)$/.test(arg))) return true;
  if (program === "crontab" && args[0] === "-l") return true;
  const [verb = "", second = ""] = operands(args);
  return (
    asking.test(verb) || (groups.test(verb) && (asking.test(second) || /^(?:get|ps|config)$/.test(second)))
  );
}

/** `./deploy.sh`, `fly deploy`: by its name, unless it only asks. */
export function deploysByName(program: string, args: readonly string[]): boolean {
  if (args.some((arg) => /^(?:status|logs|--dry-run|--help|list)$/.test(arg)) || readers.has(program))
    return false;
  return (
    /(?:^|\/)deploy(?:\.\w+)?$/.test(program) ||
    (!/^(?:git|gh|cp|mv|rm|mkdir|touch)$/.test(program) && args[0] === "deploy")
  );
}

/** Of a program that is not known, where it is told to put its result. */
export const output: Program = ({ args, place }) => {
  const at = args.findIndex((arg) => /^(?:-o|--out|--output|--outfile|--out-file|-out)$/.test(arg));
  const file = at < 0 ? /^--(?:out|output|outfile|out-file)=(.+)$/m.exec(args.join("\n"))?.[1] : args[at + 1];
  return file === undefined || file.startsWith("-")
    ? []
    : [{ kind: "write", path: place(file), how: "aside" }];
};
