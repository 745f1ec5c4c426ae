/**
 * The model as a log has it: each request is answered with the row that stands
 * behind it.
 *
 * What a newcomer gets wrong: a request that was given up has no answer, and what
 * stands behind it is how the send went on then. It fails here, and why it failed
 * matters only where the end of the send says so.
 */
import type { ModelCall } from "@bridle/model";
import { type Refusal, refuse } from "@bridle/record";
import { missing, type RecordedOutside } from "./recorded.js";

const givenUp = refuse("aborted", { message: "the answer was given up" });

export function recordedModel(recorded: RecordedOutside): ModelCall {
  return async function* () {
    const row = recorded.next;
    yield { type: "start" };
    switch (row?.type) {
      case "assistant": {
        const { content, stop } = row.message;
        yield { type: "done", response: { content, stop, usage: row.usage } };
        return;
      }
      case "stop":
        yield { type: "failed", refusal: givenUp };
        return;
      case "end":
        yield { type: "failed", refusal: (row.refusal as unknown as Refusal | undefined) ?? givenUp };
        return;
      default:
        throw missing(`the answer to the request of row ${recorded.written}`);
    }
  };
}
