/**
 * Pieces of a call's arguments, handed on in larger ones the longer the arguments get.
 *
 * pi reads the arguments of a call anew, from their beginning, with every piece that
 * arrives: 200 KB in pieces of 16 characters took it 40 s. So a piece is held until it
 * is an eighth of what went before; then all readings together cost as much as a few
 * of the whole. The first pieces, and whatever is followed by something else, are handed
 * on as they come.
 *
 * What a newcomer gets wrong: nothing is lost with what is held. An answer that ends
 * properly ends with another event, which hands it on first; one that breaks off is void.
 */
import { isJsonObject } from "@bridle/record";

/** Up to here every piece is handed on at once. */
const smallChars = 4_096;
const share = 1 / 8;

interface Piece {
  /** Of which call. */
  readonly of: string;
  readonly text: string;
  /** The event with another text in it. */
  with(text: string): string;
}

export class ArgumentPieces {
  private held: { readonly piece: Piece; text: string } | undefined;
  private readonly handedOn = new Map<string, number>();

  /** What is to be read now, in place of this event: nothing, the event, or what was held before it as well. */
  next(event: string, value: unknown): readonly string[] {
    const piece = pieceIn(event, value);
    if (piece === undefined) return [...this.rest(), event];
    const before = this.held?.piece.of === piece.of ? [] : this.rest();
    const text = (this.held?.text ?? "") + piece.text;
    const whole = this.handedOn.get(piece.of) ?? 0;
    if (whole > smallChars && text.length < whole * share) {
      this.held = { piece, text };
      return before;
    }
    this.held = undefined;
    this.handedOn.set(piece.of, whole + text.length);
    return [...before, text === piece.text ? event : piece.with(text)];
  }

  /** What is held, to be read before anything else. */
  rest(): readonly string[] {
    const { held } = this;
    if (held === undefined) return [];
    this.held = undefined;
    const { piece, text } = held;
    this.handedOn.set(piece.of, (this.handedOn.get(piece.of) ?? 0) + text.length);
    return [piece.with(text)];
  }
}

/** Only events that hold a piece and nothing else. */
function pieceIn(event: string, value: unknown): Piece | undefined {
  if (!isJsonObject(value)) return undefined;
  const again = (changed: unknown) => withData(event, changed);
  const { type, delta } = value;
  if (type === "response.function_call_arguments.delta" && typeof delta === "string") {
    const of = `response ${String(value["item_id"])} ${String(value["output_index"])}`;
    return { of, text: delta, with: (text) => again({ ...value, delta: text }) };
  }
  if (type === "content_block_delta" && isJsonObject(delta) && typeof delta["partial_json"] === "string") {
    const of = `message ${String(value["index"])}`;
    return {
      of,
      text: delta["partial_json"],
      with: (text) => again({ ...value, delta: { ...delta, partial_json: text } }),
    };
  }
  return completionPiece(value, again);
}

function completionPiece(
  value: Readonly<Record<string, unknown>>,
  again: (changed: unknown) => string,
): Piece | undefined {
  const choices = value["choices"];
  if (!Array.isArray(choices) || choices.length !== 1 || isThere(value["usage"])) return undefined;
  const [choice] = choices as unknown[];
  const delta = isJsonObject(choice) && !isThere(choice["finish_reason"]) ? choice["delta"] : undefined;
  if (!isJsonObject(choice) || !isJsonObject(delta) || delta["content"]) return undefined;
  const calls = delta["tool_calls"];
  const [call] = Array.isArray(calls) && calls.length === 1 ? (calls as unknown[]) : [];
  const named = isJsonObject(call) ? call["function"] : undefined;
  if (!isJsonObject(call) || call["id"] || !isJsonObject(named)) return undefined;
  const text = named["arguments"];
  if (typeof text !== "string" || named["name"]) return undefined;
  const of = `completion ${String(call["index"])}`;
  const filled = (more: string) => ({ ...call, function: { ...named, arguments: more } });
  const choiceWith = (more: string) => ({ ...choice, delta: { ...delta, tool_calls: [filled(more)] } });
  return { of, text, with: (more) => again({ ...value, choices: [choiceWith(more)] }) };
}

/** Servers write null where others leave a member out. */
function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function withData(event: string, value: unknown): string {
  const others = event.split("\n").filter((line) => !line.startsWith("data:"));
  return [...others, `data: ${JSON.stringify(value)}`].join("\n");
}
