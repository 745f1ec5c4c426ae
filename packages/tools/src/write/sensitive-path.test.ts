import { nodePorts } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import { standardTools } from "../standard.js";
import { sensitivePath } from "./sensitive-path.js";

const sensitive = [
  ...["package.json", "packages/a/package.json", ".npmrc", "Makefile", "makefile", "sub/GNUmakefile", "x.mk"],
  ...[
    ".github/workflows/ci.yml",
    ".github/actions/x/action.yml",
    ".gitlab-ci.yml",
    ".circleci/config.yml",
    ".ci/run",
  ],
  ...["Jenkinsfile", ".husky/pre-commit", ".pre-commit-config.yaml", ".gitattributes", ".gitmodules"],
  ...[
    ".envrc",
    "mise.toml",
    ".mise.toml",
    "mise.local.toml",
    ".bashrc",
    ".zshrc",
    ".profile",
    ".zshenv",
    ".bash_profile",
  ],
  ...[
    ".vscode/tasks.json",
    ".vscode/settings.json",
    ".idea/workspace.xml",
    ".devcontainer/devcontainer.json",
  ],
  ...["AGENTS.md", "CLAUDE.md", "docs/AGENTS.md", ".cursorrules", ".cursor/rules/a.mdc", ".mcp.json"],
  ...[
    "Dockerfile",
    "docker-compose.yml",
    "compose.yaml",
    "pyproject.toml",
    "setup.py",
    "conftest.py",
    "Cargo.toml",
    "build.rs",
  ],
  ...["PACKAGE.JSON", ".GitHub/workflows/x.yml", "ｐackage.json", "x.desktop", "etc/cron.d/x"],
];
/** Every name of the list, in each of its spellings. */
const named = `
package.json package-lock.json npm-shrinkwrap.json pnpm-workspace.yaml .pnpmfile.js .pnpmfile.cjs .yarnrc .yarnrc.yml .npmrc
bunfig.toml deno.json deno.jsonc composer.json pyproject.toml setup.py setup.cfg pip.conf conftest.py sitecustomize.py
Cargo.toml build.rs Gemfile Rakefile a.gemspec
GNUmakefile Makefile Makefile.am Makefile.in Makefile.inc Makefile.common Makefile.local Makefile.defs rules.mk justfile
Taskfile.yml Taskfile.yaml CMakeLists.txt build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradlew mvnw
pom.xml meson.build build.ninja Tiltfile Vagrantfile Dockerfile Dockerfile.dev Containerfile Containerfile.dev
compose.yml compose.yaml compose.dev.yml docker-compose.yml docker-compose.yaml docker-compose.dev.yml
.gitlab-ci.yml .gitlab-ci.yaml .travis.yml .travis.yaml Jenkinsfile azure-pipelines.yml azure-pipelines.yaml
bitbucket-pipelines.yml bitbucket-pipelines.yaml .drone.yml .drone.yaml appveyor.yml appveyor.yaml cloudbuild.yml cloudbuild.yaml
buildspec.yml buildspec.yaml CODEOWNERS renovate.json dependabot.yml dependabot.yaml
.pre-commit-config.yaml .lintstagedrc .lintstagedrc.json lefthook.yml lefthook.yaml .gitattributes .gitmodules .gitconfig
.envrc mise.toml .mise.toml mise.local.toml .mise.local.toml .tool-versions .rtx.toml .shrc .bashrc .zshrc .kshrc .fishrc
.shenv .bashenv .zshenv .bash_profile .bash_login .bash_logout .bash_aliases .zprofile .zlogin .zlogout .profile .inputrc
.tmux.conf .vimrc .nvimrc .exrc .nvim.lua .emacs .dir-locals.el .editrc
a.code-workspace
AGENTS.md CLAUDE.md CLAUDE.local.md GEMINI.md copilot-instructions.md .cursorrules .windsurfrules .clinerules .mcp.json
a.desktop a.service a.timer a.plist crontab`
  .trim()
  .split(/\s+/);
const folders = [
  ...[".github", ".gitlab", ".circleci", ".buildkite", ".woodpecker", ".forgejo", ".gitea", ".ci"],
  ...[".husky", ".githooks", ".vscode", ".idea", ".zed", ".devcontainer", ".fleet"],
  ...[".cursor", ".claude", ".codex", ".windsurf", ".bridle"],
  ...["autostart", "systemd", "cron.daily", "LaunchAgents", "LaunchDaemons"],
];
const ordinary = [
  ...[
    "README.md",
    "src/app.ts",
    "src/package.ts",
    "docs/makefile.md",
    "package.json.md",
    "notes/agents.txt",
    "my-agents.md",
  ],
  ...[
    "src/github/workflows.ts",
    "github/ci.yml",
    "test/fixtures/env.txt",
    "src/envrc.ts",
    "profile.ts",
    "report.html",
  ],
  ...[
    "src/makefile.ts.snap",
    "vscode/tasks.json",
    "src/agents/index.ts",
    "docs/agents-guide.md",
    "config/local.json",
  ],
];

describe("files that are run, or obeyed, later", () => {
  it.each(sensitive)("%s is one", (path) => expect(sensitivePath(path)).toBeTypeOf("string"));
  it.each(named)("%s is one in every folder, and not when its name goes on or begins otherwise", (name) => {
    expect([name, `a/b/${name}`].map(sensitivePath)).toEqual([expect.any(String), expect.any(String)]);
    const others = [`${name}-x/y`, `x/${name}/y`, `not-${name}x`];
    // Of some kinds only the ending is said.
    if (!/^(?:a|rules)\./.test(name)) others.push(`not-${name}`);
    expect(others.filter((path) => sensitivePath(path) !== undefined)).toEqual([]);
  });
  it.each(folders)("all that lies in %s is one", (folder) => {
    expect(sensitivePath(`${folder}/a/b`)).toBeTypeOf("string");
    expect(sensitivePath(`a/${folder}/b`)).toBeTypeOf("string");
    expect([`x${folder}/b`, `a/${folder}`].map(sensitivePath)).toEqual([undefined, undefined]);
  });
  it.each(ordinary)("%s is none", (path) => expect(sensitivePath(path)).toBeUndefined());

  it("a write or an edit of one is destructive, and says why; of others it is cautious", async () => {
    const { tools } = await standardTools({
      ...{ root: newFolder(), session: "s", ports: nodePorts(), env: {} },
      config: { writeStreamSink: false, writeStreamSinkMinChars: 1 },
    });
    const intent = (tool: string, args: Record<string, string | boolean>) =>
      tools.find(({ name }) => name === tool)?.intent(args);
    for (const path of ["package.json", "./sub/../package.json", ".github//workflows/ci.yml"]) {
      expect(intent("write_file", { path, content: "x" })).toMatchObject({ risk: "destructive" });
      expect(intent("edit_file", { path, diff: "x" })?.risk).toBe("destructive");
      expect(intent("edit_file", { path, diff: "x", preview: true })?.risk).toBe("safe");
    }
    expect(intent("write_file", { path: "Makefile", content: "x" })?.says).toContain("what a build runs");
    expect(intent("write_file", { path: "src/a.ts", content: "x" })?.risk).toBe("cautious");
    expect(intent("edit_file", { path: "src/a.ts", diff: "x" })?.risk).toBe("cautious");
  });
});
