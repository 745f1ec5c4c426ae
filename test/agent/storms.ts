/**
 * Taped conversations in which everything comes that comes from outside in its own
 * time: stops, bounds of time, steering, people who do not answer, tools that do
 * not heed a stop or break, and processes that die.
 *
 * A conversation is lived in one or more lives; each takes up what the one before
 * left on the disk. What happens depends on the numbers of the storm and of the
 * life alone.
 */
import { existsSync, readFileSync } from "node:fs";
import {
  type Agent,
  agentDefaults,
  type AgentConfig,
  type AgentEvent,
  type AgentTool,
  type Approver,
  openAgent,
  sessionPath,
  type SessionRow,
} from "@bridle/agent";
import { scriptedModel, type ModelCall, type ScriptedAnswer, TapeRecorder } from "@bridle/model";
import type { Ports } from "@bridle/record";
import { Random, type VirtualClock } from "@bridle/testing";
import { recordedTools, standardTools } from "@bridle/tools";
import { story } from "./stories.js";

export interface StormPlace {
  readonly folder: string;
  readonly tape: string;
  readonly session: string;
  readonly which: number;
}

const timeoutMs = 100_000;

export function stormConfig(which: number): AgentConfig {
  const timed = new Random(which * 31 + 5).chance(0.6);
  return {
    ...agentDefaults,
    reflexionSemantic: false,
    approvalTimeoutMs: 50_000,
    ...(timed ? { sendTimeoutMs: timeoutMs } : {}),
    ...story(which).config,
  };
}

/** Their names and schemas are those of every life and of the replay; what they do is up to the weather. */
export async function stormTools(place: StormPlace, ports: Ports, weather?: Weather): Promise<AgentTool[]> {
  const { folder, session, which } = place;
  const config = stormConfig(which);
  const { tools } = await standardTools({ root: folder, session, env: {}, ports, config });
  return withWeather(tools, place, weather);
}

/** Those of a replay that finds another folder than the session left, or none. */
export function toolsAgain(place: StormPlace, root: string, ports: Ports): AgentTool[] {
  return withWeather(recordedTools({ root, ports }), place);
}

function withWeather(standard: readonly AgentTool[], { which }: StormPlace, weather?: Weather): AgentTool[] {
  const run: AgentTool["run"] = (args, { signal }) =>
    weather?.strike(args["n"], signal) ?? Promise.reject(new Error("nothing runs in a replay"));
  const common = { family: "core", parameters: { type: "object" }, run } as const;
  const intent = (key: string) => ({ key, repeat: "run", risk: "safe", says: key }) as const;
  return [
    ...standard,
    ...story(which).tools(),
    {
      ...{ name: "halt", description: "May stop.", ...common },
      intent: ({ n }) => intent(`halt ${String(n)}`),
    },
    {
      ...{ name: "strike", description: "May stop, and changes something.", ...common },
      intent: ({ n }) => ({ ...intent(`strike ${String(n)}`), changes: ["struck"] }),
    },
  ];
}

class Weather {
  private readonly random: Random;
  private readonly danger: number;
  private stop = new AbortController();
  agent: Agent | undefined;

  constructor(
    { which }: StormPlace,
    private readonly life: number,
    private readonly clock: VirtualClock,
  ) {
    this.random = new Random(which * 7_919 + life);
    this.danger = this.random.pick([0, 0.003, 0.02]);
  }

  newSend(): AbortSignal {
    this.stop = new AbortController();
    if (this.random.chance(this.danger)) this.stop.abort();
    return this.stop.signal;
  }

  /** Any moment at which something is told may be the one. */
  readonly heard = (_event: AgentEvent): void | Promise<void> => {
    const { random, danger } = this;
    if (random.chance(danger)) this.abort();
    const passed = random.chance(danger * 2)
      ? this.clock.advance(random.between(1_000, timeoutMs))
      : undefined;
    if (random.chance(danger)) this.agent?.steer(`and look at ${random.below(9)}.txt as well`);
    // So that what happens meanwhile falls between other steps.
    if (passed !== undefined) return random.chance(0.5) ? passed : undefined;
    return random.chance(danger * 5) ? new Promise((resolve) => setImmediate(resolve)) : undefined;
  };

  /** At once, or some steps later. */
  private abort(): void {
    const { stop, random } = this;
    let steps = random.pick([0, 0, 1, 3, 10]);
    const step = () => (steps-- > 0 ? queueMicrotask(step) : stop.abort());
    if (random.chance(0.3)) setImmediate(step);
    else step();
  }

  answer(index: number): ScriptedAnswer {
    const random = new Random(this.life * 1_000_003 + index * 101 + this.random.below(1_000));
    if (!random.chance(0.25)) return story(this.random.below(100_000)).answer(index);
    const name = random.pick(["halt", "strike"]);
    const toolCalls = Array.from({ length: random.between(1, 3) }, (_, n) => ({
      ...{ name, id: `s-${this.life}-${index}-${n}`, arguments: { n: `${index}-${n}` } },
    }));
    return { text: "I will see.", toolCalls };
  }

  async strike(n: unknown, signal: AbortSignal) {
    const { random } = this;
    switch (random.below(this.danger > 0 ? 10 : 40)) {
      case 0:
        this.abort();
        return { ok: !signal.aborted, text: "as it was" };
      case 1:
        // It does not heed it, and is waited for in vain.
        await new Promise((resolve) => setImmediate(resolve));
        this.stop.abort();
        void this.clock.advance(20_000);
        return new Promise<never>(() => {});
      case 2:
        void this.clock.advance(timeoutMs * 2);
        return { ok: true, text: await new Promise<string>((done) => setImmediate(() => done("slowly"))) };
      case 3:
        if (random.chance(0.3)) throw new Error("a bug in a tool");
        return { ok: false, text: "it did not go" };
      default:
        return { ok: true, text: `went on ${String(n)}` };
    }
  }

  readonly approver: Approver = async (request, signal) => {
    const { random, danger } = this;
    if (!random.chance(danger * 5)) return story(0).approver(request, signal);
    if (random.chance(0.5)) this.abort();
    else void this.clock.advance(request.timeoutMs + 1);
    return new Promise((resolve) =>
      signal.addEventListener("abort", () => resolve({ decision: "approve" }), { once: true }),
    );
  };
}

export function stormRows({ folder, session }: StormPlace): SessionRow[] {
  const path = sessionPath(folder, session);
  if (!existsSync(path)) return [];
  const whole = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return whole.map((line) => JSON.parse(line) as SessionRow);
}

export const stormWorld = (folder: string) => ({
  ...{ osUser: "ada", workspace: folder, os: "test" },
  harness: { name: "Bridle", version: "0.0.0" },
});

/** From where the disk says to the end of the conversation. The tape is finished with it unless another life follows. */
export async function live(
  place: StormPlace,
  life: number,
  ports: Ports & { readonly clock: VirtualClock },
  { last = true }: { readonly last?: boolean } = {},
): Promise<void> {
  const { folder, tape, session, which } = place;
  const weather = new Weather(place, life, ports.clock);
  const recorder = await TapeRecorder.open({ path: tape, ports });
  let asked = 0;
  const speaks: ModelCall = (request, options) =>
    scriptedModel([weather.answer(asked++)]).call(request, options);
  const before = stormRows(place).length > 0;
  const agent = await openAgent({
    ports,
    workspace: folder,
    main: { call: recorder.record(speaks), model: "script/one", contextTokens: 200_000 },
    tools: await stormTools(place, ports, weather),
    config: stormConfig(which),
    world: stormWorld(folder),
    approver: weather.approver,
    onEvent: weather.heard,
    durability: "written",
    ...(before ? { session } : { newSession: session }),
  });
  weather.agent = agent;
  const driven = async (begin: (signal: AbortSignal) => Promise<unknown>) => {
    try {
      await begin(weather.newSend());
    } catch (error) {
      if ((error as Error).message !== "a bug in a tool") throw error;
    }
  };
  if (agent.isInterrupted) await driven((signal) => agent.resume({ signal }));
  for (const ask of story(which).asks.slice(agent.conversation.lastSend))
    await driven((signal) => agent.send(ask, { signal }));
  await agent.close();
  if (last) await recorder.finish(session, { place: agent.conversation.requests });
  await recorder.close();
}

/** What came from outside, counted from the rows. */
export function stormCounts(rows: readonly SessionRow[]) {
  const stops = (why: string) => rows.filter((row) => row.type === "stop" && row.why === why).length;
  const count = (is: (row: SessionRow) => boolean) => rows.filter(is).length;
  return {
    stopped: stops("user"),
    timedOut: stops("timeout"),
    late: stops("late"),
    broken: stops("broken"),
    resumed: count(({ type }) => type === "resume"),
    inDoubt: count((row) => row.type === "tool_result" && row.code === "in_doubt"),
    steered: count(({ type }) => type === "steer"),
    failed: count((row) => row.type === "end" && row.reason === "error"),
  };
}
