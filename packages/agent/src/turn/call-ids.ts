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

  /** The event itself where its ids are unique already, as almost all are. */
  in(event: ModelEvent): ModelEvent {
    if (event.type === "part_start" && event.kind === "tool_call" && event.id !== undefined) {
      const id = this.of(event.part, event.id);
      return id === event.id ? event : { ...event, id };
    }
    if (event.type !== "done") return event;
    const response = this.inResponse(event.response);
    return response === event.response ? event : { ...event, response };
  }

  private inResponse(response: ModelResponse): ModelResponse {
    let isSame = true;
    const content = response.content.map((part, at) => {
      const id = part.kind === "tool_call" ? this.of(at, part.id) : "";
      if (part.kind !== "tool_call" || id === part.id) return part;
      isSame = false;
      return { ...part, id };
    });
    return isSame ? response : { ...response, content };
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
