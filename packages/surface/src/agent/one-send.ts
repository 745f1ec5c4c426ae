/**
 * One question, one answer: the answer on stdout and how it goes on stderr, or
 * every event on stdout for a program. Nobody is there to say yes, so what needs
 * one is refused.
 */
import type { AgentEvent, SendResult } from "@bridle/agent";
import type { Call } from "@bridle/operation";
import { defaultWords } from "./default-words.js";
import { paintFor, wantsColour } from "../cli/paint.js";
import type { ProcessStreams } from "./process-streams.js";
import { endText, EventLines } from "./event-lines.js";
import type { ChatLine } from "./json-lines.js";
import { type OpenedAgent, type OpenOptions, openConversation } from "./open.js";
import { visibleLine } from "./visible.js";

export interface OneSend {
  readonly opened: OpenedAgent;
  readonly result: SendResult;
}

export async function sendOnce(
  text: string,
  streams: ProcessStreams,
  options: Omit<OpenOptions, "onEvent" | "notice">,
): Promise<OneSend> {
  const { call } = options;
  const paint = paintFor(wantsColour(call.env, streams.errorsAreTerminal));
  const say = (line: string) => streams.err(`${line}\n`);
  const print = (line: ChatLine) => streams.out(`${JSON.stringify(line)}\n`);
  const json = call.wantsJson === true;
  const made: { opened?: OpenedAgent } = {};
  const lines = new EventLines({ paint, tools: () => made.opened?.agent.toolbox.all ?? new Map() });
  const opened = await openConversation({
    ...options,
    async onEvent(event: AgentEvent) {
      if (json) await print(event);
      else for (const line of lines.of(event)) say(line);
    },
    notice: (sentence) => say(paint.note(`  ! ${visibleLine(sentence, 400)}`)),
  });
  made.opened = opened;
  try {
    const { agent, model, workspace, defaultOf } = opened;
    if (json)
      await print({ type: "session", session: agent.id, model, workspace, interrupted: agent.isInterrupted });
    else say(paint.dim(`  ${agent.id} · ${model}${defaultWords(defaultOf)}`));
    const signal = AbortSignal.any([call.signal, streams.closed]);
    if (agent.isInterrupted) {
      if (!json) say(paint.note("  ! the session was interrupted; going on with what it was at"));
      const before = await agent.resume({ signal });
      if (before !== undefined && !json) await streams.out(`${before.text}\n`);
    }
    const result = await agent.send(text, { signal });
    if (json) return { opened, result };
    await streams.out(result.text.endsWith("\n") ? result.text : `${result.text}\n`);
    say(paint.dim(`  ${endText(result)}`));
    return { opened, result };
  } finally {
    await opened.close();
  }
}

/** All of stdin, for a question that is piped in. */
export async function wholeInput(input: NodeJS.ReadStream, call: Pick<Call, "signal">): Promise<string> {
  const chunks: Buffer[] = [];
  const stop = () => input.destroy();
  call.signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const chunk of input) chunks.push(Buffer.from(chunk as Buffer | string));
  } catch (error) {
    if (!call.signal.aborted) throw error;
  } finally {
    call.signal.removeEventListener("abort", stop);
  }
  return Buffer.concat(chunks).toString("utf8");
}
