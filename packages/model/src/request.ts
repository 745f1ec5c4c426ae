/**
 * Requests as they are written down and compared: without their session, with
 * every secret hidden, and digested message by message.
 *
 * A conversation grows by a few messages a call. Digests of messages are kept, so
 * that the next request costs what is new in it and not what it repeats.
 */
import { canonicalJson, digest, isJsonObject, type JsonObject, type JsonValue } from "@bridle/record";
import { modelLimits } from "./limits.js";
import type { Secrets } from "./secrets.js";
import type { Message, ModelRequest } from "./types.js";

export interface WrittenMessage {
  readonly message: JsonObject;
  readonly digest: string;
}

export interface WrittenRequest {
  readonly settings: JsonObject;
  readonly messages: readonly WrittenMessage[];
}

export class RequestWriter {
  private readonly written = new WeakMap<Message, WrittenMessage>();

  constructor(private readonly secrets: Secrets) {}

  write(request: ModelRequest): WrittenRequest {
    const { messages, session: _, place: _place, ...settings } = request;
    return {
      settings: this.secrets.hideIn(plain(settings) as JsonObject),
      messages: messages.map((message) => this.message(message)),
    };
  }

  private message(message: Message): WrittenMessage {
    const known = this.written.get(message);
    if (known !== undefined) return known;
    const hidden = this.secrets.hideIn(plain(message) as JsonObject);
    const fresh = { message: hidden, digest: digest("req1_", hidden) };
    this.written.set(message, fresh);
    return fresh;
  }
}

/** A value as JSON would carry it: members that are undefined are not there. */
function plain(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

/** Chained: it stands for this request and for every one before it in the session. */
export function requestDigest(previous: string | null, { settings, messages }: WrittenRequest): string {
  return digest("req1_", { previous, settings, messages: messages.map((message) => message.digest) });
}

export interface Difference {
  /** Such as `messages[2].content[0].text`. */
  readonly path: string;
  /** As text, cut to where they differ. */
  readonly asked: string;
  readonly recorded: string;
}

/** Settings first, then messages in their order; undefined when they are the same. */
export function requestDifference(asked: WrittenRequest, recorded: WrittenRequest): Difference | undefined {
  const settings = firstDifference(asked.settings, recorded.settings, "");
  if (settings !== undefined) return settings;
  const shared = Math.min(asked.messages.length, recorded.messages.length);
  for (let i = 0; i < shared; i++) {
    const [left, right] = [asked.messages[i]!, recorded.messages[i]!];
    if (left.digest === right.digest) continue;
    return firstDifference(left.message, right.message, `messages[${i}]`);
  }
  if (asked.messages.length === recorded.messages.length) return undefined;
  return {
    path: `messages[${shared}]`,
    asked: shownValue(asked.messages[shared]?.message),
    recorded: shownValue(recorded.messages[shared]?.message),
  };
}

/** The first place, in the order of their canonical JSON, where two values differ. */
export function firstDifference(
  asked: JsonValue | undefined,
  recorded: JsonValue | undefined,
  path: string,
): Difference | undefined {
  if (Array.isArray(asked) && Array.isArray(recorded)) {
    const length = Math.max(asked.length, recorded.length);
    return firstOf(length, (i) => firstDifference(asked[i], recorded[i], `${path}[${i}]`));
  }
  if (isJsonObject(asked) && isJsonObject(recorded)) {
    const keys = [...new Set([...Object.keys(asked), ...Object.keys(recorded)])].sort();
    return firstOf(keys.length, (i) => {
      const key = keys[i]!;
      return firstDifference(asked[key], recorded[key], path === "" ? key : `${path}.${key}`);
    });
  }
  if (typeof asked === "string" && typeof recorded === "string") {
    return asked === recorded ? undefined : { path, ...textDifference(asked, recorded) };
  }
  if (
    asked === recorded ||
    (asked !== undefined && recorded !== undefined && canonicalJson(asked) === canonicalJson(recorded))
  )
    return undefined;
  return { path, asked: shownValue(asked), recorded: shownValue(recorded) };
}

function firstOf(count: number, at: (i: number) => Difference | undefined): Difference | undefined {
  for (let i = 0; i < count; i++) {
    const found = at(i);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Both from a little before the place where they part. */
function textDifference(asked: string, recorded: string): Omit<Difference, "path"> {
  let same = 0;
  while (same < asked.length && asked[same] === recorded[same]) same++;
  const from = Math.max(0, same - 20);
  const show = (text: string) =>
    `${from > 0 ? "…" : ""}${cut(JSON.stringify(text.slice(from).toWellFormed()))}`;
  return { asked: show(asked), recorded: show(recorded) };
}

function shownValue(value: JsonValue | undefined): string {
  return value === undefined ? "nothing" : cut(canonicalJson(value));
}

function cut(text: string): string {
  const max = modelLimits.differenceShownCharsMax;
  return text.length <= max ? text : `${text.slice(0, max).toWellFormed()}…`;
}
