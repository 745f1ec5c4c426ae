/**
 * The same tools as the agent's own, by name, with every guard taken away: no
 * policy, no workspace, no clean environment, nothing ended. For one test only,
 * which shows that its attacks are real ones.
 */
import { spawn } from "node:child_process";
import * as fs from "node:fs";
import { dirname, resolve } from "node:path";
import type { AgentTool, ToolReport } from "@bridle/agent";
import type { JsonObject } from "@bridle/record";

export function unguardedTools(root: string, env: Record<string, string>): AgentTool[] {
  const at = (args: JsonObject) => resolve(root, String(args["path"] ?? "."));
  return [
    tool("read_file", async (args) => fs.readFileSync(at(args), "utf8")),
    tool("grep_file", async (args) => fs.readFileSync(at(args), "utf8")),
    tool("list_dir", async (args) => fs.readdirSync(at(args)).join("\n")),
    tool("write_file", async (args) => {
      fs.mkdirSync(dirname(at(args)), { recursive: true });
      const flag = args["mode"] === "append" ? "a" : "w";
      fs.writeFileSync(at(args), String(args["content"]), { flag });
      return "written";
    }),
    tool("edit_file", async (args) => {
      let text = fs.readFileSync(at(args), "utf8");
      for (const { search, replace } of args["replacements"] as { search: string; replace: string }[])
        text = text.replace(search, () => replace);
      fs.writeFileSync(at(args), text);
      return "edited";
    }),
    tool("run_shell", (args) =>
      bash(String(args["command"]), resolve(root, String(args["cwd"] ?? ".")), env),
    ),
  ];
}

function tool(name: string, run: (args: JsonObject) => Promise<string>): AgentTool {
  return {
    name,
    description: `Does ${name}, whatever it is asked.`,
    family: "core",
    parameters: { type: "object" },
    intent: (args) => ({ key: `${name} ${JSON.stringify(args)}`, repeat: "run", risk: "safe", says: name }),
    async run(args): Promise<ToolReport> {
      try {
        return { ok: true, text: await run(args) };
      } catch (error) {
        return { ok: false, text: `ERROR ${error instanceof Error ? error.message : String(error)}` };
      }
    },
  };
}

function bash(command: string, cwd: string, env: Record<string, string>): Promise<string> {
  return new Promise((done, fail) => {
    const child = spawn("/bin/bash", ["--noprofile", "--norc", "-c", command], {
      cwd,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 20_000,
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += String(chunk)));
    child.once("error", fail);
    // Its output may be held open for ever by what it left running.
    child.once("exit", (code) => {
      const settle = () => {
        clearTimeout(late);
        child.stdout.destroy();
        child.stderr.destroy();
        if (code === 0) done(said);
        else fail(new Error(`exit=${code}\n${said}`));
      };
      const late = setTimeout(settle, 150);
      child.once("close", settle);
    });
  });
}
