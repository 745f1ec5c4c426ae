/**
 * What a tool says while it works, a line of JSON each: what it has cost, whether its limit is reached, and whether it
 * has said its last word. Nothing is guessed: fields are read where a tool has them, and a line that is no JSON, such
 * as a half-written last one, is told and passed over.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "@bridle/record";
import type { OutputKind } from "./presets.js";

export interface Heard {
  /** In dollars; undefined where the tool does not say. */
  costUsd?: number;
  inputTokens?: number;
  outputTokens?: number;
  /** The tool says that its limit is reached, and perhaps when it is lifted. */
  limit?: { readonly resetsAtMs?: number };
  /** Calls that its own settings denied. */
  denied: number;
  /** It has given its result; whatever still runs of it waits for nobody. */
  finished: boolean;
  /** The result says that it went wrong. */
  failed: boolean;
  /** Its last words. */
  says?: string;
  /** Lines that are no JSON. */
  unreadable: number;
}

const lineBytesMax = 4 * 1024 * 1024;

export class Listener {
  readonly heard: Heard = { denied: 0, finished: false, failed: false, unreadable: 0 };
  private rest = "";
  private readonly decoder = new TextDecoder();

  constructor(private readonly kind: OutputKind) {}

  hear(chunk: Uint8Array): void {
    if (this.kind === "plain") return;
    this.rest += this.decoder.decode(chunk, { stream: true });
    const lines = this.rest.split("\n");
    this.rest = lines.pop() ?? "";
    if (this.rest.length > lineBytesMax) this.rest = "";
    for (const line of lines) this.line(line);
  }

  /** At the end of the output. */
  end(): Heard {
    if (this.rest.trim() !== "") this.line(this.rest);
    this.rest = "";
    return this.heard;
  }

  private line(text: string): void {
    if (text.trim() === "") return;
    let row: unknown;
    try {
      row = JSON.parse(text);
    } catch {
      this.heard.unreadable += 1;
      return;
    }
    if (!isJsonObject(row)) return;
    readers[this.kind]?.(row, this.heard);
  }
}

const readers: Partial<Record<OutputKind, (row: JsonObject, heard: Heard) => void>> = {
  claude(row, heard) {
    if (row["type"] === "rate_limit_event") limitIn(row["rate_limit_info"], heard);
    if (row["type"] !== "result") return;
    heard.finished = true;
    heard.failed = row["is_error"] === true;
    add(heard, "costUsd", row["total_cost_usd"]);
    tokensIn(row["usage"], heard);
    if (typeof row["result"] === "string") heard.says = row["result"];
    if (Array.isArray(row["permission_denials"])) heard.denied = row["permission_denials"].length;
  },
  codex(row, heard) {
    if (row["type"] === "turn.completed") {
      heard.finished = true;
      tokensIn(row["usage"], heard);
    }
    if (row["type"] === "turn.failed" || row["type"] === "error") {
      heard.failed = true;
      const told = isJsonObject(row["error"]) ? row["error"] : row;
      if (typeof told["message"] === "string") heard.says = told["message"];
      limitIn(told["rate_limits"] ?? told["rate_limit"], heard);
    }
    const { item } = row;
    if (isJsonObject(item) && item["type"] === "agent_message" && typeof item["text"] === "string")
      heard.says = item["text"];
  },
  pi(row, heard) {
    if (row["type"] === "agent_end") heard.finished = true;
    const { message } = row;
    if (row["type"] !== "message_end" || !isJsonObject(message)) return;
    const { usage } = message;
    if (!isJsonObject(usage)) return;
    add(heard, "inputTokens", usage["input"]);
    add(heard, "outputTokens", usage["output"]);
    if (isJsonObject(usage["cost"])) add(heard, "costUsd", usage["cost"]["total"]);
  },
  bridle(row, heard) {
    const { result } = row;
    if (row["type"] !== "turn_end" || !isJsonObject(result)) return;
    heard.finished = true;
    heard.failed = result["reason"] !== "ok";
    add(heard, "costUsd", result["costUsd"]);
    if (isJsonObject(result["usage"])) {
      add(heard, "inputTokens", result["usage"]["inputTokens"]);
      add(heard, "outputTokens", result["usage"]["outputTokens"]);
    }
    if (typeof result["text"] === "string") heard.says = result["text"];
  },
};

function limitIn(value: JsonValue | undefined, heard: Heard): void {
  if (!isJsonObject(value)) return;
  if (value["status"] !== undefined && value["status"] !== "rejected") return;
  const at = value["resetsAt"] ?? value["resets_at"];
  heard.limit = typeof at === "number" ? { resetsAtMs: at < 1e12 ? at * 1_000 : at } : {};
}

function tokensIn(value: JsonValue | undefined, heard: Heard): void {
  if (!isJsonObject(value)) return;
  add(heard, "inputTokens", value["input_tokens"]);
  add(heard, "outputTokens", value["output_tokens"]);
}

function add(
  heard: Heard,
  name: "costUsd" | "inputTokens" | "outputTokens",
  value: JsonValue | undefined,
): void {
  if (typeof value === "number" && Number.isFinite(value)) heard[name] = (heard[name] ?? 0) + value;
}
