/** An agent in a folder of its own with a scripted model, for tests. */
import {
  agentDefaults,
  type AgentConfig,
  type AgentEvent,
  type AgentTool,
  type Approver,
  openAgent,
  type OpenOptions,
} from "@bridle/agent";
import { scriptedModel, type ModelCall, type ScriptedStep } from "@bridle/model";
import { type JsonObject, nodePorts, type Ports } from "@bridle/record";
import { newFolder } from "./folder.js";

export interface TestAgentOptions {
  readonly script: readonly ScriptedStep[] | ModelCall;
  readonly tools?: readonly AgentTool[];
  readonly config?: Partial<AgentConfig>;
  readonly workspace?: string;
  readonly session?: string;
  readonly approver?: Approver;
  readonly ports?: Ports;
  readonly more?: Partial<OpenOptions>;
}

export async function testAgent(options: TestAgentOptions) {
  const { script, tools = [], config, ports = nodePorts(), approver, session, more } = options;
  const workspace = options.workspace ?? newFolder();
  const events: AgentEvent[] = [];
  const model = typeof script === "function" ? undefined : scriptedModel(script, { clock: ports.clock });
  const call = typeof script === "function" ? script : (model as NonNullable<typeof model>).call;
  const agent = await openAgent({
    ports,
    workspace,
    main: { call, model: "script/one", contextTokens: 200_000 },
    tools,
    config: { ...agentDefaults, toolLazy: false, reflexionSemantic: false, ...config },
    world: { osUser: "ada", workspace, harness: { name: "Bridle", version: "0.0.0" }, os: "test" },
    onEvent: (event) => void events.push(event),
    durability: "written",
    ...(approver === undefined ? {} : { approver }),
    ...(session === undefined ? {} : { session }),
    ...more,
  });
  return { agent, events, workspace, requests: model?.requests ?? [], model };
}

/** A tool that answers with what `run` says. */
export function testTool(
  name: string,
  run: (args: JsonObject) => string | Promise<string>,
  options: Partial<AgentTool> & { readonly properties?: JsonObject } = {},
): AgentTool {
  const { properties = {}, ...rest } = options;
  return {
    name,
    description: `Does ${name}.`,
    family: "core",
    parameters: { type: "object", properties, additionalProperties: Object.keys(properties).length === 0 },
    intent: (args) => ({ key: `${name} ${JSON.stringify(args)}`, repeat: "run", risk: "safe", says: name }),
    run: async (args) => ({ ok: true, text: await run(args) }),
    ...rest,
  };
}
