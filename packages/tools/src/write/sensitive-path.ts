/**
 * Files of a project that somebody runs, or obeys, later and without looking:
 * scripts of packages and builds, what a build server does, what an editor or a
 * shell does when a folder is opened, and what agents are told.
 *
 * What a newcomer gets wrong: to write such a file is to run a command, only
 * later and by somebody who never saw it. So a yes to the tool in general
 * (`AGENT_AUTO_APPROVE_TOOLS`) is none to these; each write of one is asked for.
 * A file that is missing here is not harmless: whatever is run can be changed by
 * whoever may write. The list holds what is run by itself.
 */
import { posix } from "node:path";

interface Kind {
  readonly names?: RegExp;
  /** Of the whole path; names and paths are compared in lower case. */
  readonly paths?: RegExp;
  readonly because: string;
}

const kinds: readonly Kind[] = [
  {
    names:
      /^(?:package\.json|package-lock\.json|npm-shrinkwrap\.json|pnpm-workspace\.yaml|\.pnpmfile\.c?js|\.yarnrc(?:\.yml)?|\.npmrc|bunfig\.toml|deno\.jsonc?|composer\.json|pyproject\.toml|setup\.(?:py|cfg)|pip\.conf|conftest\.py|sitecustomize\.py|cargo\.toml|build\.rs|gemfile|rakefile|[^/]*\.gemspec)$/,
    because: "it says what is installed and what the scripts of the project run",
  },
  {
    names:
      /^(?:gnumakefile|makefile(?:\.(?:am|in|inc|common|local|defs))?|[^/]*\.mk|justfile|taskfile\.ya?ml|cmakelists\.txt|build\.gradle(?:\.kts)?|settings\.gradle(?:\.kts)?|gradlew|mvnw|pom\.xml|meson\.build|build\.ninja|tiltfile|vagrantfile|(?:docker|container)file(?:\..+)?|(?:docker-)?compose(?:\..+)?\.ya?ml)$/,
    because: "it says what a build runs",
  },
  {
    names:
      /^(?:\.gitlab-ci\.ya?ml|\.travis\.ya?ml|jenkinsfile|azure-pipelines\.ya?ml|bitbucket-pipelines\.ya?ml|\.drone\.ya?ml|appveyor\.ya?ml|cloudbuild\.ya?ml|buildspec\.ya?ml|codeowners|renovate\.json|dependabot\.ya?ml)$/,
    paths: /(?:^|\/)(?:\.github|\.gitlab|\.circleci|\.buildkite|\.woodpecker|\.forgejo|\.gitea|\.ci)\//,
    because: "it says what a build server runs, with the rights of the project",
  },
  {
    names:
      /^(?:\.pre-commit-config\.yaml|\.lintstagedrc.*|lefthook\.ya?ml|\.gitattributes|\.gitmodules|\.gitconfig)$/,
    paths: /(?:^|\/)(?:\.husky|\.githooks)\//,
    because: "it says what git runs",
  },
  {
    names:
      /^(?:\.envrc|\.?mise(?:\..+)?\.toml|\.tool-versions|\.rtx\.toml|\.(?:ba|z|k|fi)?sh(?:rc|env)|\.bash_(?:profile|login|logout|aliases)|\.z(?:profile|login|logout)|\.profile|\.inputrc|\.tmux\.conf|\.(?:n?vim|ex)rc|\.nvim\.lua|\.emacs|\.dir-locals\.el|\.editrc)$/,
    because: "a shell or an editor runs it by itself",
  },
  {
    names: /^(?:[^/]*\.code-workspace)$/,
    paths: /(?:^|\/)(?:\.vscode|\.idea|\.zed|\.devcontainer|\.fleet)\//,
    because: "an editor runs it when the folder is opened",
  },
  {
    names:
      /^(?:agents|claude|gemini|copilot-instructions)(?:\.[^/]*)?\.md$|^\.(?:cursor|windsurf|cline)rules$|^\.mcp\.json$/,
    paths: /(?:^|\/)(?:\.cursor|\.claude|\.codex|\.windsurf|\.bridle)\//,
    because: "agents obey what it says",
  },
  {
    names: /^[^/]*\.(?:desktop|service|timer|plist)$|^crontab$/,
    paths: /(?:^|\/)(?:autostart|systemd|cron\.[a-z]+|launchagents|launchdaemons)\//,
    because: "the machine starts it by itself",
  },
];

/** Why a write to this path of the workspace is asked for each time; undefined where it is a file like others. */
export function sensitivePath(path: string): string | undefined {
  // Disks that ignore case or compatibility take these for the same name.
  const plain = path.normalize("NFKC").toLowerCase();
  const name = posix.basename(plain);
  return kinds.find(({ names, paths }) => names?.test(name) === true || paths?.test(plain) === true)?.because;
}
