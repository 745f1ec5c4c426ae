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
