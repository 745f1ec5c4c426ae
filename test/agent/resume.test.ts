/**
 * A session that ends in the middle is gone on with as if it had not: stopped at
 * any request, answer or result, its log comes out byte for byte the same. What
 * had begun to change something and has no result is in doubt and never repeated.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findDisorder, sessionPath, type SessionRow } from "@bridle/agent";
import { describe, expect, it } from "vitest";
import { testTool } from "../support/agent.js";
import { newFastFolder } from "../support/folder.js";
import { seed, share } from "../support/scale.js";
import { fileAgent, linesOf, rowsOf, spread, thinkingModel } from "./kit.js";
import { story, type Story } from "./stories.js";

const session = "s-1";

type Files = ReadonlyMap<string, Buffer>;

function filesIn(folder: string): Files {
  const found = new Map<string, Buffer>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !path.endsWith(".jsonl"))
      found.set(path.slice(folder.length + 1), readFileSync(path));
  }
  return found;
}

function restore(folder: string, files: Files): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
}

interface Whole {
  readonly lines: readonly string[];
  readonly files: Files;
  /** The files as they were when that many requests and results were in the log. */
  readonly states: ReadonlyMap<string, Files>;
}

async function tell(told: Story, folder: string): Promise<Whole> {
  const states = new Map<string, Files>();
  const counts = { requests: 0, results: 0 };
  const keep = () => states.set(`${counts.requests}/${counts.results}`, filesIn(folder));
  const { agent } = await fileAgent({
    call: thinkingModel((_request, index) => told.answer(index)),
    folder,
    config: told.config,
    approver: told.approver,
    tools: told.tools(),
    more: {
      onEvent: ({ type }) => {
        if (type === "round_start") counts.requests++;
        if (type === "tool_result") counts.results++;
        if (type === "round_start" || type === "tool_result") keep();
      },
    },
  });
  for (const ask of told.asks) await agent.send(ask);
  await agent.close();
  return { lines: linesOf(folder, session), files: filesIn(folder), states };
}

/** Rows behind which a session may have ended. */
const ends = ["request", "assistant", "tool_result"];

async function goOn(told: Story, folder: string, whole: Whole, kept: number): Promise<void> {
  const rows = whole.lines.slice(0, kept).map((line) => JSON.parse(line) as SessionRow);
  const count = (type: SessionRow["type"]) => rows.filter((row) => row.type === type).length;
  restore(folder, whole.states.get(`${count("request")}/${count("tool_result")}`) ?? new Map());
  mkdirSync(dirname(sessionPath(folder, session)), { recursive: true });
  writeFileSync(
    sessionPath(folder, session),
    whole.lines
      .slice(0, kept)
      .map((line) => `${line}\n`)
      .join(""),
  );
  const failed = rows.filter((row) => row.type === "end" && row.reason === "error").length;
  const asked = count("assistant") + failed;
  const { agent } = await fileAgent({
    call: thinkingModel((_request, index) => told.answer(asked + index)),
    folder,
    session,
    config: told.config,
    approver: told.approver,
    tools: told.tools(),
  });
  expect(agent.isInterrupted).toBe(true);
  await agent.resume();
  for (const ask of told.asks.slice(count("send"))) await agent.send(ask);
  await agent.close();
  const again = linesOf(folder, session);
  for (const [at, line] of whole.lines.entries()) {
    if (again[at] !== line)
      expect({ row: at, ...JSON.parse(again[at] ?? "{}") }, `row ${at} after ${kept}`).toEqual({
        row: at,
        ...JSON.parse(line),
      });
  }
  expect(again.length).toBe(whole.lines.length);
  expect(findDisorder(agent.conversation.messages)).toBeUndefined();
}

describe("a session that ended in the middle", () => {
  it("is gone on with to the same end from every request, answer and result", async () => {
    const count = share(2_000, 30);
    const cutsEach = share(Number.MAX_SAFE_INTEGER, 7);
    let [stops, requests] = [0, 0];
    const folder = newFastFolder();
    for (let i = 0; i < count; i++) {
      const which = seed * 100_000 + i;
      const told = story(which);
      restore(folder, new Map());
      const whole = await tell(told, folder);
      const places = whole.lines.flatMap((line, at) => {
        const { type } = JSON.parse(line) as SessionRow;
        return ends.includes(type) ? [{ kept: at + 1, type }] : [];
      });
      for (const { kept, type } of spread(places, cutsEach)) {
        try {
          await goOn(told, folder, whole, kept);
        } catch (error) {
          throw new Error(`story ${which} after row ${kept}: ${(error as Error).message}`, { cause: error });
        }
        stops++;
        if (type === "request") requests++;
      }
    }
    console.log(
      `proof: resume: ${count} random conversations stopped at ${stops} places, ${requests} of them requests; every log came out the same (seed ${seed})`,
    );
  }, 3_600_000);
});
