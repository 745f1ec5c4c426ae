/**
 * Real market data that lies outside the repository and is never committed. Tests
 * that need it ask whether it is there and are not registered when it is not.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Beside the fixtures that are named, as in CI; beside the checkout, or beside the folder that its worktrees are in. */
function find(): string | undefined {
  const beside = join(process.env["BRIDLE_FIXTURES"] ?? ".", "../data/hyperliquid");
  if (process.env["BRIDLE_FIXTURES"] !== undefined && existsSync(beside)) return beside;
  let folder = dirname(fileURLToPath(import.meta.url));
  for (let i = 0; i < 5; i++) {
    folder = dirname(folder);
    const place = join(folder, "shared/data/hyperliquid");
    if (existsSync(place)) return place;
  }
  return undefined;
}

export const marketData = find();

export interface Recording {
  readonly request: { readonly type: string } & Record<string, unknown>;
  readonly response: unknown;
}

/** Every question that was recorded with its answer; empty where there is no data. */
export function recordings(): Recording[] {
  const folder = marketData === undefined ? undefined : join(marketData, "info-recordings");
  if (folder === undefined || !existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .flatMap((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Recording[]);
}
