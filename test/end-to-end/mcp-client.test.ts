/** Tools that are not ours, in real sessions: other servers', a project's own, and what a person says to them. */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect } from "vitest";
import { buildOnce } from "../support/built.js";
import { calls, ChatWorld, toldIn } from "../support/chat.js";
import { it } from "../support/everyday.js";
import { newFolder } from "../support/folder.js";
import { logOf, sayYes, servers, writeIn } from "../support/foreign-tools.js";
import { injection } from "../support/hostile-mcp.mjs";

beforeAll(buildOnce);
const enter = "\r";
const personal = ".config/bridle/mcp.json";

const greeter = `export default {
  name: "greet", description: "Greets somebody.",
  parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  run({ name }, { root }) {
    console.log("not for the protocol");
    if (name === "nobody") throw new TypeError("nobody is there");
    return "Hello " + name + " in " + root;
  },
};\n`;

/** Approved in advance, so that a session without a person can use them. */
const approving = (...names: string[]) => ({ AGENT_AUTO_APPROVE_TOOLS: names.join(",") });

describe("a session with four servers", () => {
  it("uses their tools, records them and replays without them; nothing hostile gets further than a tool's text", async () => {
    const used = [
      ...[
        "mcp_everything_get-sum",
        "mcp_files_list_directory",
        "mcp_ours_issue_list",
        "mcp_hostile_read_file",
      ],
      ...["mcp_hostile_inject", "mcp_hostile_env", "mcp_hostile_rename", "mcp_hostile_flood"],
    ];
    const world = await ChatWorld.with(
      calls("activate_tool_family", { family: "mcp:hostile" }),
      calls("mcp_everything_get-sum", { a: 2, b: 40 }),
      calls("mcp_files_list_directory", { path: "." }),
      calls("mcp_ours_issue_list", {}),
      calls("mcp_hostile_inject", {}),
      calls("mcp_hostile_env", {}),
      calls("mcp_hostile_rename", {}),
      calls("mcp_hostile_read_file", { path: "x" }),
      calls("mcp_hostile_burn", {}),
      calls("mcp_hostile_flood", {}),
      calls("mcp_everything_get-sum", { a: "two", b: 1 }, "call_wrong"),
      { text: ["All of them answered."] },
    );
    const { everything, files, premath, hostile } = servers;
    const ours = { ...premath, args: [...premath.args, "--root", world.folder] };
    writeIn(world.home, personal, { mcpServers: { everything, ours } });
    writeIn(world.folder, ".mcp.json", { mcpServers: { files, hostile, premath } });
    await world.run(["issue", "add", "from a person"]);
    await sayYes(world);
    const ran = await world.run(["chat", "use them"], { env: approving(...used) });
    expect(ran).toMatchObject({ code: 0, stdout: "All of them answered.\n" });

    const told = toldIn(world.server.asked.at(-1));
    expect(told[1]).toContain("42");
    expect(told[2]).toContain("[FILE] .mcp.json");
    expect(told[3]).toContain("from a person");
    expect(told[4]).toContain("\\u001b[2J");
    expect(told[5]).not.toContain("canary");
    expect(told[7]).toContain("ERROR [mcp_tool_failed]");
    // It says of itself that it destroys, so no list of approved tools lets it through.
    expect(told[8]).toContain("nobody is there to approve it");
    expect(told[9]).toContain("ERROR [mcp_server_flooded]");
    expect(told[10]).toContain("ERROR [args_invalid]");
    // Ours in a project's file is aside; it is there under the person's name for it.
    const system = JSON.stringify(world.server.asked[0]?.body["messages"]);
    expect(system).toContain("mcp:ours");
    expect(system).not.toContain("mcp:premath");
    for (const { body } of world.server.asked) {
      const [first] = body["messages"] as { role: string; content: string }[];
      expect(JSON.stringify(first)).not.toContain(injection);
    }
    const offered = JSON.stringify(world.server.asked[0]?.body["tools"]);
    expect(offered).not.toContain("mcp_");
    expect(JSON.stringify(world.server.asked[1]?.body["tools"])).toContain("which says of it: ");

    const rows = logOf(world);
    const { defined } = (rows[0] as { under?: { defined?: { name: string }[] } }).under ?? {};
    expect(defined?.map(({ name }) => name)).toEqual(expect.arrayContaining(used));
    rmSync(join(world.folder, ".mcp.json"));
    const replayed = await world.run(["agent", "replay", "--json"], { env: { HOME: newFolder() } });
    expect(JSON.parse(replayed.stdout)).toMatchObject({ calls: 11, unfinished: false });

    // Taken up again without the servers: what changed is said.
    const resumed = await world.run(["chat", "again", "--resume"], { env: { HOME: newFolder() } });
    expect(resumed.stderr).toMatch(/since the session was recorded, other tools .* are gone/);
    const left = readdirSync(world.folder)
      .filter((name) => !name.startsWith("."))
      .join();
    expect(left).toBe("");
    process.stdout.write(
      `proof: 4 MCP servers, ${defined?.length} tools recorded, 11 calls replayed without them\n`,
    );
  }, 60_000);
});

describe("without a person's yes", () => {
  it("nothing is started, and a sentence says what to do; a change, or another folder, needs another yes", async () => {
    const world = await ChatWorld.with({ text: ["Hello."] });
    const marker = join(world.folder, "started");
    writeIn(
      world.folder,
      "server.mjs",
      `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(marker)}, "");`,
    );
    writeIn(world.folder, ".mcp.json", { mcpServers: { local: { command: "node", args: ["server.mjs"] } } });
    writeIn(world.folder, ".bridle/tools/greet.mjs", greeter);
    const { stderr } = await world.run(["chat", "hello"]);
    expect(stderr).toMatch(
      /this project's MCP server "local" was not started: nobody has said yes to it here\. `bridle mcp try local` asks/,
    );
    expect(stderr).toMatch(/what is in \.bridle\/tools of this project was not started/);
    expect(existsSync(marker)).toBe(false);
    const listed = async () => {
      const { stdout } = await world.run(["mcp", "list", "--json"]);
      const { servers: found } = JSON.parse(stdout) as { servers: { name: string; standing: string }[] };
      return found.map(({ name, standing }) => `${name} ${standing}`);
    };
    await sayYes(world);
    expect(await listed()).toEqual(["local trusted", ".bridle/tools trusted"]);
    writeIn(world.folder, "server.mjs", "// another program");
    writeIn(world.folder, ".bridle/tools/helper.txt", "another file");
    expect(await listed()).toEqual(["local changed", ".bridle/tools changed"]);
  });

  it("mcp add, try and remove: nothing is started unasked, and what is no server is a sentence", async () => {
    const world = await ChatWorld.with({ text: ["unused"] });
    const words = ["--", servers.everything.command, ...servers.everything.args];
    expect(await world.run(["mcp", "add", "all", "--env", "SOME_KEY", ...words])).toMatchObject({ code: 0 });
    expect(await world.run(["mcp", "add", "all", ...words])).toMatchObject({ code: 1 });
    const file = () => JSON.parse(readFileSync(join(world.home, personal), "utf8")) as { mcpServers: object };
    expect(file().mcpServers).toEqual({ all: { ...servers.everything, env: { SOME_KEY: "${SOME_KEY}" } } });
    const unasked = await world.run(["mcp", "try", "all"]);
    expect(unasked.code).toBe(1);
    expect(unasked.stderr).toMatch(
      /nobody is there to say yes \(trust_missing\)[\s\S]*given from your environment: SOME_KEY/,
    );
    const unset = await world.run(["mcp", "try", "all", "--yes"]);
    expect(unset.stderr).toMatch(/needs the variable SOME_KEY, which is not set/);
    const tried = await world.run(["mcp", "try", "all", "--json"], { env: { SOME_KEY: "1" } });
    expect(JSON.parse(tried.stdout)).toMatchObject({ name: "all" });
    expect(tried.stdout).toContain("mcp_all_echo");
    expect((await world.run(["mcp", "try", "al"])).stderr).toContain("did you mean all?");
    expect(await world.run(["mcp", "remove", "all"])).toMatchObject({ code: 0 });
    expect(file().mcpServers).toEqual({});
    expect(readFileSync(join(world.home, ".config/bridle/trust.json"), "utf8")).not.toContain("server all");
    // An agent, or what it started, gives no yes.
    const inRun = await world.run(["mcp", "add", "x", "--", "id"], { env: { BRIDLE_RUN: "s-1" } });
    expect(inRun.code).not.toBe(0);
    expect(file().mcpServers).toEqual({});
  }, 60_000);
});

describe("bad input", () => {
  it("a module that throws and a server that is missing are a sentence each, and the rest works", async () => {
    const world = await ChatWorld.with(
      calls("own_greet", { name: "Ada" }),
      calls("own_greet", { name: "nobody" }, "call_throws"),
      { text: ["Greeted."] },
    );
    writeIn(world.folder, ".bridle/tools/greet.mjs", greeter);
    writeIn(world.folder, ".bridle/tools/broken.mjs", "throw new Error('broken \\u001b[2Jon purpose');");
    writeIn(world.folder, ".bridle/tools/odd.mjs", "export default { name: 'Bad Name' };");
    writeIn(world.folder, ".mcp.json", {
      mcpServers: {
        gone: { command: "./no-such-server" },
        odd: { command: 7 },
        far: { url: "http://example.com", headers: { A: "b" } },
      },
    });
    await sayYes(world);
    const { code, stderr } = await world.run(["chat", "greet"], { env: approving("own_greet") });
    expect(code).toBe(0);
    expect(stderr).toContain(".bridle/tools/broken.mjs: Error: broken \\u001b[2Jon purpose");
    expect(stderr).toContain(".bridle/tools/odd.mjs: its name must be small letters");
    expect(stderr).toMatch(/the MCP server "gone" is not there: .*ENOENT/);
    expect(stderr).toContain('the MCP server "odd" of');
    expect(stderr).toContain('the address of the MCP server "far" cannot be used');
    const told = toldIn(world.server.asked.at(-1));
    expect(told[0]).toBe(`Hello Ada in ${world.folder}`);
    expect(told[1]).toContain("TypeError: nobody is there");
  });

  it("a file of servers that is none is a sentence, and the conversation goes on", async () => {
    const world = await ChatWorld.with({ text: ["Hello."] });
    writeIn(world.folder, ".mcp.json", "{ not json");
    const { code, stderr } = await world.run(["chat", "hello"]);
    expect(code).toBe(0);
    expect(stderr).toMatch(/no MCP server of .*\.mcp\.json counts: .* is not a file of MCP servers/);
  });
});

describe("at the terminal", () => {
  it("a person is asked before anything starts, says yes once, and under /keep every call asks", async () => {
    const greet = (id: string) => calls("own_greet", { name: "Ada" }, id);
    const world = await ChatWorld.with(
      ...[greet("one"), { text: ["First."] }, greet("two"), { text: ["Second."] }],
      { text: ["Reviewed."] },
    );
    writeIn(world.folder, ".bridle/tools/greet.mjs", greeter);
    writeIn(
      world.folder,
      ".bridle/commands/review.md",
      "---\ndescription: Review a file\n---\nReview $1 for $ARGUMENTS.",
    );
    writeIn(world.folder, ".bridle/commands/help.md", "ours stays");
    writeIn(world.folder, "notes.txt", "water the plants\n");
    const pty = world.terminal();
    await pty.sees("Start what is in .bridle/tools of this project?");
    await pty.sees("your rights, outside the wall");
    pty.type(`y\n`);
    await pty.sees("/help is one of ours");
    pty.type(`greet${enter}`);
    await pty.sees("[a]lways own_greet in this conversation");
    pty.type(`a${enter}`);
    await pty.sees("2 rounds · 1 call");
    pty.type(`/keep notes.txt${enter}`);
    await pty.sees("kept as they are: notes.txt");
    pty.type(`greet again${enter}`);
    await pty.sees("something is ruled out in this session, and nothing holds this tool to it");
    pty.type(`y${enter}`);
    await pty.sees("2 rounds · 1 call");
    pty.type(`/review @notes.txt${enter}`);
    await pty.sees("Review @notes.txt for @notes.txt.");
    await pty.sees("@notes.txt goes along: 17 characters");
    await pty.sees("Reviewed.");
    pty.type(`/quit${enter}`);
    expect(await pty.ended).toBe(0);
    const asked = JSON.stringify(world.server.asked.at(-1)?.body["messages"]);
    expect(asked).toContain("--- notes.txt ---\\nwater the plants");
    expect(readFileSync(join(world.home, ".config/bridle/trust.json"), "utf8")).toContain(world.folder);
    // The yes holds the next time, and nobody is asked.
    const again = world.terminal();
    await again.sees("› ");
    expect(again.text).not.toContain("outside the wall");
    again.type(`/quit${enter}`);
    expect(await again.ended).toBe(0);
  }, 30_000);
});
