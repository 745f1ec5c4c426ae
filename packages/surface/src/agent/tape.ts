/**
 * `--tape` and `--from-tape`: what the model said, kept and played back.
 *
 * A conversation that is played back has a name of its own, and so have its
 * children; on the tape they are looked up in the order in which they began.
 */
import { type ModelCall, type Secrets, TapeRecorder, TapeReplay } from "@bridle/model";
import { Failure, type Ports } from "@bridle/record";

export interface Tape {
  readonly call: ModelCall;
  /** The recording is whole from here on. `requests` is how many of the session count. */
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
      // One that was taken up may have ended without another call.
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
  const names = new Map<string, string>();
  const left = [root, ...replay.sessions.filter((name) => name.startsWith(`${root}.`))];
  return {
    call: (request, callOptions) => {
      const session = request.session ?? "";
      const name = names.get(session) ?? left.shift() ?? root;
      names.set(session, name);
      return replay.call({ ...request, session: name }, callOptions);
    },
    async close() {},
  };
}
