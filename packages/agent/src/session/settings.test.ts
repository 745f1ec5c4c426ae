import { scriptedModel, Secrets } from "@bridle/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { testTool } from "../../../../test/support/agent.js";
import { Taped } from "../../../../test/support/taped.js";
import { type AgentConfig, agentDefaults, agentKeys, readAgentConfig } from "../config/table.js";
import type { AgentOptions } from "../types.js";
import { configOf, requireSettings, settingsIn, settingsOf } from "./settings.js";

const look = testTool("look", ({ n }) => `saw ${String(n)}`);

function optionsWith(config: AgentConfig, more: object = {}): AgentOptions {
  return {
    main: { model: "script/one", contextTokens: 1_000, call: undefined },
    world: { osUser: "ada", workspace: "/w", harness: { name: "Bridle", version: "1" }, os: "test" },
    tools: [look],
    config,
    ...more,
  } as unknown as AgentOptions;
}

const setting = fc.constantFrom(...(Object.keys(agentKeys) as (keyof AgentConfig)[]));
const changes = fc.dictionary(setting, fc.oneof(fc.boolean(), fc.nat(), fc.array(fc.string())));

describe("what a session goes under", () => {
  it("gives back every setting, and holds those that are not as usual", () => {
    fc.assert(
      fc.property(changes, (changed) => {
        const config = { ...agentDefaults, ...changed } as AgentConfig;
        const under = requireSettings(JSON.parse(JSON.stringify(settingsOf(optionsWith(config), 7))));
        expect(configOf(under)).toEqual(config);
        expect(Object.keys(under.settings ?? {}).every((name) => Object.hasOwn(changed, name))).toBe(true);
      }),
    );
    expect(settingsOf(optionsWith(agentDefaults), 7)).toEqual({
      ...{ model: "script/one", contextTokens: 1_000, promptTokens: 7, osUser: "ada", workspace: "/w" },
      tools: ["look"],
      rules: 2,
    });
  });

  it("has no setting that could hold a secret: they are numbers, switches, tiers, and names of tools and folders", () => {
    for (const [name, { key }] of Object.entries(agentKeys)) {
      expect(key).not.toMatch(/(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$/);
      const read = () => readAgentConfig({ [key]: "canary-3b77a0-key" });
      if (name !== "autoApproveTools" && name !== "shellRead") expect(read, name).toThrow(key);
    }
    const config = { ...agentDefaults, autoApproveTools: ["canary-3b77a0-key", "look"] };
    const under = settingsOf(optionsWith(config, { secrets: new Secrets(["canary-3b77a0-key"]) }), 7);
    expect(under.settings).toEqual({ autoApproveTools: ["[secret]", "look"] });
  });

  it("is said by the first row, and by the next process only where it changed", async () => {
    const taped = new Taped([look]);
    const said = () => taped.rows().flatMap((row) => (settingsIn(row) === undefined ? [] : [row.type]));
    const live = async (more: Partial<AgentOptions> = {}) => {
      const { agent, close } = await taped.open([{ text: "One." }, { text: "Two." }], more);
      await agent.send("first");
      await agent.send("second");
      await close(false);
    };
    await live();
    await live();
    expect(said()).toEqual(["session"]);
    const persona = "You speak in rhymes.";
    await live({ persona });
    await live({ persona });
    expect(said()).toEqual(["session", "send"]);
    const { call } = scriptedModel([{ text: "One." }, { text: "Two." }]);
    await live({ persona, main: { call, model: "script/two", contextTokens: 9_000 } });
    expect(said()).toEqual(["session", "send", "send"]);
    expect(
      taped
        .rows()
        .filter((row) => row.type === "assistant")
        .at(-1)?.message.model,
    ).toBe("script/two");
    expect(await taped.replayLog()).toEqual({ rows: taped.rows().length });
  });

  it("that a log does not say, or says in no known form, is refused", () => {
    for (const under of [
      undefined,
      null,
      5,
      {},
      { model: "a" },
      { ...settingsOf(optionsWith(agentDefaults), 7), tools: [1] },
    ])
      expect(() => requireSettings(under)).toThrow("which model, tools and settings");
  });
});
