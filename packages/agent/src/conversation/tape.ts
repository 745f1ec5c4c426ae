/**
 * `--tape` and `--from-tape`: what the model said, kept and played back.
 *
 * A conversation that is played back has a name of its own. Those of its children
 * and of what is asked beside it begin with that name and end as on the tape.
 */
import { type ModelCall, type Secrets, TapeRecorder, TapeReplay } from "@bridle/model";
import { Failure, type Ports } from "@bridle/record";

export interface Tape {
  readonly call: ModelCall;
  /** Marks the recording as whole. `requests` is how many requests the session has made in all. */
  close(of: { readonly session: string; readonly requests: number }): Promise<void>;
}

interface TapeOptions {
  readonly path: string;
  readonly ports: Ports;
  readonly secrets: Secrets;
}

export async function recordTape(call: ModelCall, options: TapeOptions): Promise<Tape> {
  const recorder = await TapeRecorder.open(options);
  const recorded = recorder.record(call);
  const sessions = new Set<string>();
  return {
    call: (request, callOptions) => {
      if (request.session !== undefined) sessions.add(request.session);
      return recorded(request, callOptions);
    },
    async close({ session: root, requests: place }) {
      // A session that was resumed may have ended without another request.
      if (recorder.has(root)) sessions.add(root);
      for (const session of sessions) await recorder.finish(session, session === root ? { place } : {});
      await recorder.close();
    },
  };
}

export async function replayTape(options: TapeOptions): Promise<Tape> {
  const replay = await TapeReplay.open(options);
  const [root] = replay.sessions;
  if (root === undefined)
    throw new Failure("tape_missing", { message: `${options.path} has no session on it` });
  let played: string | undefined;
  return {
    call: (request, callOptions) => {
      const asked = request.session ?? "";
      // The first request comes from the conversation itself, not from a child.
      played ??= asked;
      const session = asked.startsWith(played) ? root + asked.slice(played.length) : asked;
      return replay.call({ ...request, session }, callOptions);
    },
    async close() {},
  };
}
