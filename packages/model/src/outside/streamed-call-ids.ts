/**
 * Ids of tool calls in a stream of chat completions.
 *
 * Some servers give two calls of one answer the same id and tell them apart by their
 * index alone. pi joins what has one id, and the arguments of both become one text
 * that is no JSON: both calls would be lost. So the second gets an id of its own
 * before pi reads it.
 */
import { isJsonObject } from "@bridle/record";

export class StreamedCallIds {
  private readonly indexOf = new Map<string, number>();

  /** Changes the event where an id belongs to another call already; whether it did. */
  toldApart(event: unknown): boolean {
    let changed = false;
    for (const call of callsIn(event)) {
      const { id, index } = call;
      if (typeof id !== "string" || id === "" || typeof index !== "number") continue;
      const first = this.indexOf.get(id);
      if (first === undefined) this.indexOf.set(id, index);
      else if (first !== index) {
        call["id"] = `${id}_${index}`;
        changed = true;
      }
    }
    return changed;
  }
}

function callsIn(event: unknown): Record<string, unknown>[] {
  const choices = isJsonObject(event) ? event["choices"] : undefined;
  const [choice] = Array.isArray(choices) ? choices : [];
  const delta = isJsonObject(choice) ? choice["delta"] : undefined;
  const calls = isJsonObject(delta) ? delta["tool_calls"] : undefined;
  return Array.isArray(calls) ? calls.filter((call) => isJsonObject(call)) : [];
}
