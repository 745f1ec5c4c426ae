import { refuse } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { testTool } from "../../../../test/support/agent.js";
import { Taped } from "../../../../test/support/taped.js";
import type { AgentTool } from "../types.js";

const call = (name: string, args: object = {}) => ({ toolCalls: [{ name, arguments: args as never }] });

const changing: Partial<AgentTool> = {
  intent: (args) => ({
    ...{ key: `touch ${JSON.stringify(args)}`, repeat: "run", risk: "safe", says: "touch" },
    changes: ["x"],
  }),
};
const look = testTool("look", ({ n }) => `saw ${String(n)}`);

describe("a replay", () => {
  it("of a send that was stopped while the model answered asks for that answer and ends as it did", async () => {
    const stop = new AbortController();
    const taped = new Taped([look]);
    const { agent, close } = await taped.open(
      [call("look", { n: 1 }), { text: "This answer is never heard to its end." }, { text: "Yes." }],
      { onEvent: (event) => void (event.type === "text" && stop.abort()) },
    );
    expect(await agent.send("look", { signal: stop.signal })).toMatchObject({ reason: "cancelled" });
    expect(await agent.send("are you there?")).toMatchObject({ reason: "ok", text: "Yes." });
    await close();
    expect(taped.types()).toContain("stop user over");
    await taped.comesOutTheSame();
  });

  it("of a send that was stopped while a tool ran begins no call behind it", async () => {
    const stop = new AbortController();
    const halt = testTool("halt", () => (stop.abort(), "halted"), changing);
    const taped = new Taped([look, halt]);
    const { agent, close } = await taped.open([
      { toolCalls: ["halt", "look", "halt"].map((name, n) => ({ name, arguments: { n } })) },
    ]);
    await agent.send("go", { signal: stop.signal });
    await close();
    expect(taped.types()).toContain("stop user call");
    const codes = taped.rows().flatMap((row) => (row.type === "tool_result" ? [row.code ?? "ok"] : []));
    expect(codes).toEqual(["ok", "stopped", "stopped"]);
    await taped.comesOutTheSame();
  });

  it("of a send that was stopped between its announcement of a call and the call does not begin it", async () => {
    const stop = new AbortController();
    const touch = testTool("touch", () => "touched", changing);
    const taped = new Taped([touch]);
    const { agent, close } = await taped.open([call("touch")]);
    const { journal } = agent.session;
    const flush = journal.flush.bind(journal);
    journal.flush = async (durability) => {
      await flush(durability);
      if (taped.types().includes("tool_call")) stop.abort();
    };
    await agent.send("go", { signal: stop.signal });
    await close();
    expect(taped.types()).toContain("stop user begin");
    await taped.comesOutTheSame();
  });

  it("of a send that was stopped between two requests makes no second one", async () => {
    const stop = new AbortController();
    const taped = new Taped([look]);
    const { agent, close } = await taped.open([call("look", { n: 1 })], {
      onEvent: (event) => void (event.type === "tool_result" && stop.abort()),
    });
    await agent.send("look", { signal: stop.signal });
    await close();
    expect(taped.types()).toContain("stop user answered");
    await taped.comesOutTheSame();
  });

  it("of a send that was stopped before it began has no request", async () => {
    const taped = new Taped([]);
    const { agent, close } = await taped.open([{ text: "hello" }]);
    await agent.send("never", { signal: AbortSignal.abort() });
    await agent.send("hello");
    await close();
    expect(taped.types().slice(0, 4)).toEqual(["session", "send", "stop user judged", "end"]);
    await taped.comesOutTheSame();
  });

  it("of a send that ran out of time closes as it did, also when its closing answer came too late", async () => {
    const taped = new Taped([look], { sendTimeoutMs: 60_000 });
    let passed = 0;
    const { agent, close } = await taped.open(
      [
        call("look", { n: 1 }),
        { text: "I saw one." },
        call("look", { n: 2 }),
        { text: "too slow to be heard" },
      ],
      {
        onEvent: async (event) => {
          if (event.type === "tool_result") await taped.clock.advance(61_000);
          if (event.type === "text" && passed++ > 1) await taped.clock.advance(61_000);
        },
      },
    );
    expect(await agent.send("look")).toMatchObject({ reason: "timeout", text: "I saw one." });
    expect(await agent.send("again")).toMatchObject({ reason: "timeout" });
    await close();
    const stops = taped.types().filter((type) => type.startsWith("stop"));
    expect(stops).toEqual(["stop timeout answered", "stop timeout answered", "stop late closed"]);
    await taped.comesOutTheSame();
  });

  it.each(["ended", "killed"])(
    "of a send whose model spoke until its time was over, and which was %s there, asks it nothing more",
    async (how) => {
      const taped = new Taped([look], { sendTimeoutMs: 60_000 });
      let looked = false;
      const first = await taped.open(
        [{ text: "I look.", ...call("look", { n: 1 }) }, { text: "This never comes to an end." }],
        {
          onEvent: async ({ type }) => {
            looked ||= type === "tool_result";
            if (looked && type === "text") await taped.clock.advance(61_000);
          },
        },
      );
      const account =
        "The turn ended: the turn has used its 60 s.\n1 tool calls were made; nothing was changed.";
      const ended = { reason: "timeout", text: account, rounds: 2 };
      expect(await first.agent.send("look")).toMatchObject(ended);
      await first.close(how === "ended");
      expect(taped.types().slice(-2)).toEqual(["stop timeout over", "end"]);
      if (how === "killed") {
        taped.loseBehind("stop");
        const second = await taped.open([{ text: "Still here." }]);
        expect(await second.agent.resume()).toMatchObject(ended);
        expect(await second.agent.send("are you there?")).toMatchObject({ text: "Still here." });
        await second.close();
        expect(taped.types().filter((type) => type === "request")).toHaveLength(3);
      }
      await taped.comesOutTheSame();
    },
  );

  it("of a send that a failure of the model ended fails in the same way", async () => {
    const taped = new Taped([look]);
    const { agent, close } = await taped.open([
      call("look", { n: 1 }),
      { text: "half", fail: refuse("model_unavailable", { message: "it is down" }), failAfterChars: 2 },
      { text: "back again" },
    ]);
    expect(await agent.send("look")).toMatchObject({ reason: "error" });
    await agent.send("still there?");
    await close();
    await taped.comesOutTheSame();
  });

  it("of a send that a bug in a tool ended breaks at the same row", async () => {
    const bug = testTool(
      "bug",
      () => {
        throw new Error("a bug in a tool");
      },
      changing,
    );
    const taped = new Taped([bug, look]);
    const { agent, close } = await taped.open([
      { toolCalls: ["look", "bug", "look"].map((name, n) => ({ name, arguments: { n } })) },
      { text: "It goes on." },
    ]);
    await expect(agent.send("go")).rejects.toThrow("a bug in a tool");
    await agent.send("and now?");
    await close();
    expect(taped.types()).toContain("stop broken ");
    await taped.comesOutTheSame();
  });

  it("of a session that was killed in a call and taken up twice has the call in doubt", async () => {
    const taped = new Taped([testTool("touch", () => "touched", changing), look]);
    const first = await taped.open([
      { toolCalls: ["touch", "look"].map((name, n) => ({ name, arguments: { n } })) },
      { text: "nobody acted on this" },
    ]);
    await first.agent.send("go");
    await first.close(false);
    taped.loseBehind("tool_call");
    const second = await taped.open([call("touch", { n: 3 }), { text: "nor on this" }]);
    await second.agent.resume();
    await second.close(false);
    taped.loseBehind("tool_call");
    const third = await taped.open([{ text: "That is all I know." }]);
    expect(await third.agent.resume()).toMatchObject({ reason: "ok" });
    await third.close();
    const results = taped.rows().filter((row) => row.type === "tool_result");
    expect(results.map(({ code }) => code ?? "ok")).toEqual(["in_doubt", "ok", "in_doubt"]);
    expect(taped.types().filter((type) => type === "resume")).toHaveLength(2);
    await taped.comesOutTheSame();
  });

  it("of a session that was killed behind a stop ends as the one who took it up ended it", async () => {
    for (const sendTimeoutMs of [0, 60_000]) {
      const stop = new AbortController();
      const slow = testTool("slow", async () => {
        if (sendTimeoutMs === 0) stop.abort();
        else await taped.clock.advance(sendTimeoutMs + 1);
        return "over";
      });
      const taped = new Taped([slow], { sendTimeoutMs });
      const first = await taped.open([call("slow"), { text: "nobody acted on this" }]);
      await first.agent.send("go", { signal: stop.signal });
      await first.close(false);
      taped.loseBehind("stop");
      const second = await taped.open(sendTimeoutMs === 0 ? [] : [{ text: "Out of time." }]);
      const reason = sendTimeoutMs === 0 ? "cancelled" : "timeout";
      expect(await second.agent.resume()).toMatchObject({ reason });
      await second.close();
      await taped.comesOutTheSame();
    }
  });

  it("of a log that ends in the middle comes to that row", async () => {
    const taped = new Taped([look]);
    const { agent, close } = await taped.open([call("look", { n: 1 }), { text: "Seen." }]);
    await agent.send("look");
    await close();
    const rows = taped.rows();
    for (let kept = 1; kept <= rows.length; kept++) {
      expect(await taped.replay({ rows: rows.slice(0, kept), wants: false })).toEqual({ rows: kept });
      expect(await taped.replayLog(rows.slice(0, kept))).toEqual({ rows: kept });
    }
  });
});
