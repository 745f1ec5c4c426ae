/** The operations of the query room called as a surface calls them, over a small file of candles and funding. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Call, type Envelope, type Kept, type Operation, perform } from "@bridle/operation";
import { type JsonObject, nodePorts, type Ports } from "@bridle/record";
import { makeAsk } from "../../packages/query/src/operations/ask.js";
import { newFolder } from "./folder.js";

/** 48 hours of two coins from 2025-07-01: AAA gains 1 an hour from 100, BBB loses 1 from 200; funding grows. */
export function smallSource(folder = newFolder()): string {
  const lines = ["coin,ts,open,high,low,close,volume,funding"];
  for (let hour = 0; hour < 48; hour++) {
    const ts = new Date(Date.parse("2025-07-01T00:00:00Z") + hour * 3_600_000)
      .toISOString()
      .replace(".000", "");
    lines.push(
      `BTC,${ts},${100 + hour},${102 + hour},${99 + hour},${101 + hour},10,${(0.00001 * (hour + 1)).toFixed(5)}`,
    );
    lines.push(`ETH,${ts},${200 - hour},${201 - hour},${198 - hour},${199 - hour},5,-0.00002`);
  }
  const file = join(folder, "small.csv");
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

export interface CallOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly kept?: Kept;
  readonly ports?: Ports;
}

export function callWith({ cwd = newFolder(), env = {}, kept, ports = nodePorts() }: CallOptions = {}): Call {
  return {
    ports,
    signal: new AbortController().signal,
    cwd,
    env,
    warn() {},
    progress() {},
    ...(kept === undefined ? {} : { kept }),
  };
}

/** Through the whole pipeline, with the answer checked against its schema. */
export async function askThrough(input: JsonObject, options: CallOptions = {}): Promise<Envelope> {
  return perform(makeAsk() as unknown as Operation, input, {
    authority: { surface: options.kept === undefined ? "cli" : "mcp" },
    gates: [],
    call: callWith(options),
  });
}
