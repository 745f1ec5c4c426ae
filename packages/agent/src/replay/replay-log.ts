/**
 * A session carried out again from its log alone: the log is the model, the tools
 * and the people, and says which settings the session had.
 *
 * What a newcomer gets wrong: without a tape nobody checks what the model was asked,
 * only what followed from its answers. With one the requests are compared as well,
 * and then the prompt must be the one that was recorded.
 */
import type { ModelCall } from "@bridle/model";
import { Failure, type Ports, present } from "@bridle/record";
import { recordedOwnTools } from "./own-tools.js";
import { recordedModel } from "./recorded-model.js";
import { requireStructure } from "./replayable.js";
import { type Replayed, replaySession, sessionOf } from "./replay.js";
import type { RowOf, SessionRow } from "../session/rows.js";
import { configOf, requireSettings, type SessionSettings } from "../session/settings.js";
import type { AgentOptions, AgentTool } from "../types.js";

export interface ReplayLogOptions {
  readonly ports: Ports;
  readonly rows: readonly SessionRow[];
  /** As they were given then; none of them runs. */
  toolsFor(under: SessionSettings): readonly AgentTool[];
  /** A tape that speaks instead of the log. */
  readonly call?: ModelCall;
  /** What the log does not say of the prompt; only a tape wants to know it. */
  readonly prompt?: Pick<AgentOptions, "persona" | "instructions"> & { readonly os: string };
  readonly signal?: AbortSignal;
}

/** Throws a `Failure` when the log does not say enough; with a tape, also at the first request that differs. */
export async function replayLog(options: ReplayLogOptions): Promise<Replayed> {
  const { rows, call } = options;
  const session = sessionOf(rows);
  requireSettings(session.under);
  requireStructure(rows);
  return replaySession({
    rows,
    strict: call === undefined,
    open(recorded) {
      const under = requireSettings(recorded.lastSettings);
      const speaks = interruptible(call ?? recordedModel(recorded), options);
      const opened = optionsFor(under, { ...options, session, call: speaks });
      return { options: opened, ownTools: recordedOwnTools(opened), promptTokens: under.promptTokens };
    },
  });
}

/** Requests after which whoever wants to stop it is heard. */
const breathEvery = 50;

function interruptible(call: ModelCall, { ports, signal }: ReplayLogOptions): ModelCall {
  let asked = 0;
  return async function* (request, options) {
    if (++asked % breathEvery === 0) await ports.clock.sleep(0);
    if (signal?.aborted === true) throw new Failure("aborted", { message: "the replay was given up" });
    yield* call(request, options);
  };
}

interface Again extends ReplayLogOptions {
  readonly session: RowOf<"session">;
  readonly call: ModelCall;
}

function optionsFor(under: SessionSettings, { ports, toolsFor, prompt, session, call }: Again): AgentOptions {
  const { model, contextTokens, osUser, workspace, declaredPaths, commitments } = under;
  return {
    ports,
    workspace,
    main: { call, model, contextTokens },
    tools: toolsNamed(under.tools, toolsFor(under)),
    config: configOf(under),
    world: { osUser, workspace, harness: harnessOf(session), os: prompt?.os ?? "" },
    ...present({ persona: prompt?.persona, instructions: prompt?.instructions }),
    ...present({ declaredPaths, commitments }),
    depth: session.depth,
  };
}

function toolsNamed(names: readonly string[], tools: readonly AgentTool[]): AgentTool[] {
  return names.map((name) => {
    const found = tools.find((tool) => tool.name === name);
    if (found !== undefined) return found;
    throw new Failure("session_unreplayable", {
      message: `the session had a tool ${JSON.stringify(name)}, which is not there`,
      hint: "It was recorded by another version, or by a program with tools of its own.",
    });
  });
}

/** `Bridle 1.2.0`. Which version it was decides nothing. */
function harnessOf({ harness }: RowOf<"session">): AgentOptions["world"]["harness"] {
  const [, name = harness, version = ""] = /^(.*) (\S+)$/.exec(harness) ?? [];
  return { name, version };
}
