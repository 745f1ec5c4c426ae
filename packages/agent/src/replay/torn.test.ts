import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { testTool } from "../../../../test/support/agent.js";
import { until } from "../../../../test/support/until.js";
import { Taped } from "../../../../test/support/taped.js";
import { sessionPath } from "../state-paths.js";
import { turnEvidence } from "../turn/evidence.js";
import type { RowOf } from "../session/rows.js";

const look = testTool("look", ({ n }) => `saw ${String(n)}`);
const call = (name: string, args: object = {}) => ({ toolCalls: [{ name, arguments: args as never }] });
const viewsIn = (taped: Taped) => turnEvidence(taped.rows())?.evidence["stateViews"];

async function whole(taped: Taped): Promise<void> {
  const { agent, close } = await taped.open([call("look", { n: 1 }), { text: "Seen." }]);
  await agent.send("look");
  await close(false);
}

describe("a log that ends within the preparation of a request", () => {
  it("is gone on with to the same rows: a view and notes that are there are not made again", async () => {
    for (const type of ["tool_use", "state_view", "reminder_queue"] as const) {
      const taped = new Taped([look]);
      await whole(taped);
      const before = taped.rows();
      taped.loseBehind(type);
      const { agent, close } = await taped.open([{ text: "Seen." }]);
      await agent.resume();
      await close();
      expect(
        taped.rows().filter((row) => row.type !== "resume"),
        type,
      ).toEqual(before);
      await taped.comesOutTheSame();
    }
  });

  it("and in which a view stands twice gives as evidence the one that its request was made with", async () => {
    const taped = new Taped([look]);
    await whole(taped);
    taped.loseBehind("state_view");
    const rows = taped.rows();
    const torn = rows.at(-1) as RowOf<"state_view">;
    // As a version before this one could leave it, and as a view of another moment would.
    const other = { ...torn, viewDigest: "sha256:0" };
    const lines = [...rows.slice(0, -1), other].map((row) => `${JSON.stringify(row)}\n`);
    writeFileSync(sessionPath(taped.workspace, "s-1"), lines.join(""));
    const { agent, close } = await taped.open([{ text: "Seen." }]);
    await agent.resume();
    await close();
    expect(taped.rows().filter((row) => row.type === "state_view")).toHaveLength(3);
    expect(viewsIn(taped)).toMatchObject([
      { viewId: "v-1-1" },
      { viewId: "v-1-2", viewDigest: torn.viewDigest },
    ]);
  });
});

describe("a word of the user to an agent that works", () => {
  it("is on the disk when it was said, and told to the model by the one who takes up the session", async () => {
    const taped = new Taped([look]);
    const first = await taped.open([call("look", { n: 1 }), { text: "nobody acted on this" }], {
      onEvent: async (event) => {
        if (event.type !== "tool_result") return;
        first.agent.steer("look at two as well");
        // Nothing else is written as long as this is awaited.
        await until("it is on the disk", () => taped.types().includes("steer"));
      },
    });
    await first.agent.send("look");
    await first.close(false);
    taped.loseBehind("steer");
    expect(taped.types().filter((type) => type === "user")).toEqual([]);
    const second = await taped.open([call("look", { n: 2 }), { text: "Seen both." }]);
    expect(await second.agent.resume()).toMatchObject({ text: "Seen both." });
    await second.close();
    expect(taped.rows().filter((row) => row.type === "user")).toMatchObject([
      { origin: "steer", text: "look at two as well" },
    ]);
    await taped.comesOutTheSame();
  });

  it("is told once, also when the session ends behind it and is taken up", async () => {
    const taped = new Taped([look]);
    const first = await taped.open([call("look", { n: 1 }), { text: "nobody acted on this" }], {
      onEvent: (event) => {
        if (event.type !== "tool_result") return;
        first.agent.steer("one");
        first.agent.steer("two");
      },
    });
    await first.agent.send("look");
    await first.close(false);
    const rows = taped.rows();
    const told = rows.findIndex((row) => row.type === "user");
    const lines = rows.slice(0, told + 1).map((row) => `${JSON.stringify(row)}\n`);
    writeFileSync(sessionPath(taped.workspace, "s-1"), lines.join(""));
    const second = await taped.open([{ text: "Heard." }]);
    await second.agent.resume();
    await second.close();
    const texts = taped.rows().flatMap((row) => (row.type === "user" ? [row.text] : []));
    expect(texts).toEqual(["one", "two"]);
    await taped.comesOutTheSame();
  });

  it("that was said before a turn is told with it", async () => {
    const taped = new Taped([]);
    const { agent, close } = await taped.open([{ text: "Hello." }]);
    agent.steer("in one word");
    await agent.send("say hello");
    await close();
    expect(agent.conversation.messages.map(({ role }) => role)).toEqual(["user", "user", "assistant"]);
    await taped.comesOutTheSame();
  });
});
