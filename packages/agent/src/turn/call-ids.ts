/**
 * Call ids that are used once in a conversation. Some models count their calls
 * from the beginning in every answer, or give none an id; a result could then not
 * be told from another's, and providers refuse such a history.
 *
 * What a newcomer gets wrong: a call has its id from its first event on, because
 * what arrives of its arguments is kept under it.
 */
import type { ModelEvent, ModelResponse } from "@bridle/model";

/** Rewrites the events of one answer. */
export function uniqueCallIds(isUsed: (id: string) => boolean): (event: ModelEvent) => ModelEvent {
  let ids = new AnswerIds(isUsed);
  return (event) => {
    if (event.type === "retry") ids = new AnswerIds(isUsed);
    return ids.in(event);
  };
}

/** Of one answer, by the place of the call in it. */
class AnswerIds {
  private readonly byPart = new Map<number, string>();
  private readonly taken = new Set<string>();

  constructor(private readonly isUsed: (id: string) => boolean) {}

  in(event: ModelEvent): ModelEvent {
    if (event.type === "part_start" && event.kind === "tool_call" && event.id !== undefined)
      return { ...event, id: this.of(event.part, event.id) };
    return event.type === "done" ? { ...event, response: this.inResponse(event.response) } : event;
  }

  private inResponse(response: ModelResponse): ModelResponse {
    const content = response.content.map((part, at) =>
      part.kind === "tool_call" ? { ...part, id: this.of(at, part.id) } : part,
    );
    return { ...response, content };
  }

  private of(part: number, wanted: string): string {
    const known = this.byPart.get(part);
    if (known !== undefined) return known;
    const base = wanted === "" ? "call" : wanted;
    let id = base;
    for (let n = 2; this.taken.has(id) || this.isUsed(id); n++) id = `${base}_${n}`;
    this.byPart.set(part, id);
    this.taken.add(id);
    return id;
  }
}
