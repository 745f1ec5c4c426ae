/**
 * Writes and edits whose calls are cut off at any byte, through the whole agent
 * and on real files: the target is never touched by half a call, and a model that
 * does what the [CONTINUE] message says completes it.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ModelRequest, ScriptedAnswer, StopReason } from "@bridle/model";
import type { JsonObject } from "@bridle/record";
import { Random } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import { newFastFolder } from "../support/folder.js";
import { seed, share } from "../support/scale.js";
import { fileAgent, rowsOf, spread, textOf, thinkingModel } from "./kit.js";
import { findDisorder } from "../support/disorder.js";

const contents: Readonly<Record<string, { readonly file: string; readonly text: string }>> = {
  ascii: { file: "src/deep/a.ts", text: lines(12, (i) => `export const value${i} = "${i * 7}";`) },
  multiByte: { file: "a.md", text: lines(9, (i) => `Größe ${i}: naïve Übung, 数据库 №${i * i}`) },
  emoji: { file: "e.txt", text: lines(8, (i) => `🦊 no. ${i} 👩‍👩‍👧 \u{1F3F4} end ${i * 3}`) },
  escapes: { file: "q.txt", text: lines(8, (i) => `"a\\b" \t\b\f\u0001\u2028 '${i}' \\u00e9 \\" \r`) },
  html: {
    file: "p.html",
    text: `<!doctype html>\n<html><head><title>t & "t"</title></head><body>\n${lines(6, (i) => `<p class="x${i}">№ ${i} &lt;</p>`)}</body></html>\n`,
  },
  nested: {
    file: "n.json",
    text: `${JSON.stringify({ path: "other.txt", content: 'x", "path": "evil.txt', mode: "overwrite", list: [{ path: "b" }, "\\"] }, null, 1)}\n`,
  },
  noNewline: {
    file: "last.txt",
    text: `one line without an end ${lines(12, (i) => `${i * 7} words`).replaceAll("\n", " ")}last`,
  },
};

function lines(count: number, line: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => `${line(i)}\n`).join("");
}

/** Everything outside ASCII as escapes, so that a cut can fall within one. */
function escaped(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

interface Case {
  readonly tool: "write_file" | "edit_file";
  readonly file: string;
  /** What is there before; undefined for nothing. */
  readonly before: string | undefined;
  readonly after: string;
  /** The whole call. */
  readonly text: string;
  /** The text that bytes and tail are about. */
  readonly content: string;
  readonly pathFirst: boolean;
}

function casesOf({ file, text }: { readonly file: string; readonly text: string }): Case[] {
  const write = (args: JsonObject, before: string | undefined, pathFirst = true): Case => ({
    ...{ tool: "write_file", file, before, after: text, content: text, pathFirst },
    text: JSON.stringify(args),
  });
  const created = write({ path: file, mode: "create", content: text }, undefined);
  const old = lines(30, (i) => `old line ${i}`);
  const edit = { path: file, replacements: [{ search: "old line 7\n", replace: text }] };
  const diff = `@@ -3,1 +3,${text.split("\n").length} @@\n-old line 2\n${text
    .split("\n")
    .map((line) => `+${line}\n`)
    .join("")}`;
  return [
    created,
    { ...created, text: escaped(created.text) },
    write({ content: text, path: file }, undefined, false),
    write({ path: file, mode: "overwrite", confirm_overwrite: true, content: text }, old),
    {
      ...{ tool: "edit_file", file, before: old, content: "", pathFirst: true },
      after: old.replace("old line 7\n", () => text),
      text: JSON.stringify(edit),
    },
    ...(text.includes("\r") || text.includes("\u2028")
      ? []
      : [
          {
            ...({ tool: "edit_file", file, before: old, content: diff, pathFirst: true } as const),
            after: old.replace("old line 2\n", () => `${text}\n`),
            text: JSON.stringify({ path: file, diff }),
          },
        ]),
  ];
}

interface Cut {
  readonly of: Case;
  /** What arrives of the call. */
  readonly arrived: string;
  readonly stop: StopReason;
}

/** At each byte. Bytes of a character that is not whole never become text. */
function cutsOf(each: Case): Cut[] {
  const bytes = Buffer.from(each.text);
  const cuts: Cut[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const arrived = new TextDecoder().decode(bytes.subarray(0, at), { stream: true });
    for (const stop of ["length", "none", "tool_use"] as const) {
      // No text at all with a normal ending is a call without arguments, and no cut.
      if (at > 0 || stop !== "tool_use") cuts.push({ of: each, arrived, stop });
    }
  }
  return cuts;
}

/** Between the halves of a character, where a stream of UTF-16 may end. */
function halvesOf(each: Case): Cut[] {
  return [...each.text.matchAll(/[\ud800-\udbff](?=[\udc00-\udfff])/g)].map(({ index }) => ({
    of: each,
    arrived: each.text.slice(0, index + 1),
    stop: "length" as const,
  }));
}

const continued =
  /^\[CONTINUE\] Your call of (\w+) for (.+) was cut off after (\d+) bytes of content\. The file was not touched\. (What arrived is kept\. It|What arrived) ends with:\n<<<([^]*)>>>\n/;

interface Told {
  readonly path: string;
  readonly bytes: number;
  readonly tail: string;
  readonly kept: boolean;
}

function toldBy(message: string): Told | undefined {
  const match = continued.exec(message);
  if (match === null) return undefined;
  const [, , path = "", bytes, how = "", tail = ""] = match;
  return { path, bytes: Number(bytes), tail, kept: how.includes("kept") };
}

/** What a model says that does as it is told; `again` decides whether its continuation is cut as well. */
class Obedient {
  readonly told: string[] = [];
  private calls = 0;

  constructor(
    private readonly cut: Cut,
    private readonly look: () => void,
    private readonly cutAgain: (text: string) => string | undefined,
  ) {}

  answer = (request: ModelRequest): ScriptedAnswer => {
    const last = request.messages.at(-1);
    const { of, arrived, stop } = this.cut;
    if (this.calls === 0) return this.call(of.tool, arrived, stop);
    const text = textOf(last);
    if (text.startsWith("[CONTINUE]")) {
      this.look();
      this.told.push(text);
      const whole = this.next(text);
      const part = this.cutAgain(whole);
      return part === undefined ? this.call(of.tool, whole) : this.call(of.tool, part, stop);
    }
    return { text: `${of.file} is done.` };
  };

  private next(message: string): string {
    const { of } = this.cut;
    const told = toldBy(message);
    if (told === undefined || !told.kept) return of.text;
    const rest = Buffer.from(of.content).subarray(told.bytes).toString();
    return JSON.stringify({ path: told.path, mode: "append", content: rest });
  }

  private call(name: string, text: string, stop: StopReason = "tool_use"): ScriptedAnswer {
    return {
      toolCalls: [{ name, arguments: text, id: `c-${this.calls++}` }],
      stop,
      chunkChars: 1 + (this.calls % 40),
    };
  }
}

async function cutOnce(cut: Cut, random: Random, resumesMax = 3) {
  const { of } = cut;
  const folder = newFastFolder();
  const target = join(folder, of.file);
  if (of.before !== undefined) {
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, of.before);
  }
  const asBefore = () => {
    const now = existsSync(target) ? readFileSync(target, "utf8") : undefined;
    if (now !== of.before) throw new Error(`half a call was carried out: ${JSON.stringify(now)}`);
  };
  let more = random.below(3);
  const model = new Obedient(cut, asBefore, (text) =>
    more-- > 0 && text.length > 2 ? text.slice(0, random.between(1, text.length - 1)) : undefined,
  );
  const requests: ModelRequest[] = [];
  const { agent } = await fileAgent({
    call: thinkingModel((request, index) => {
      const disorder = findDisorder(request.messages);
      if (disorder !== undefined) throw new Error(disorder);
      if (index === 1) asBefore();
      return model.answer(request);
    }, requests),
    folder,
    config: {
      lengthResumeMax: resumesMax,
      // On the disk while it arrives, or at the cut.
      writeStreamSinkMinChars: random.chance(0.5) ? 40 : 8_000,
    },
  });
  const result = await agent.send(`Write ${of.file} as we said`);
  await agent.close();
  return { model, result, folder, target, agent, requests, rows: rowsOf(folder, agent.id) };
}

async function completes(cut: Cut, random: Random): Promise<number> {
  const { of } = cut;
  const { model, result, target, agent, rows, folder } = await cutOnce(cut, random);
  const where = `${of.tool} ${of.file} after ${JSON.stringify(cut.arrived.slice(-20))} ${cut.stop}`;
  expect(result.reason, where).toBe("ok");
  expect(model.told.length, where).toBeGreaterThan(0);
  expect(model.told.length, where).toBeLessThanOrEqual(3);
  expect(readFileSync(target, "utf8"), `${where}\n${model.told.join("\n")}`).toBe(of.after);
  expect(findDisorder(agent.conversation.messages), where).toBeUndefined();
  // What the message says of the first cut is what arrived.
  const first = toldBy(model.told[0] ?? "");
  const pathArrived = of.pathFirst
    ? cut.arrived.startsWith(`{"path":${JSON.stringify(of.file)}`)
    : cut.arrived === of.text.slice(0, -1);
  expect(first !== undefined, where).toBe(pathArrived);
  if (first !== undefined) {
    expect(first.path).toBe(of.file);
    expect(Buffer.from(of.content).subarray(0, first.bytes).toString().endsWith(first.tail), where).toBe(
      true,
    );
    if (of.content.length > 0 && first.bytes >= 200) expect(first.tail.length).toBeGreaterThan(30);
  }
  const results = rows.filter((row) => row.type === "tool_result");
  expect(results.filter(({ ran }) => ran).length, where).toBe(1);
  // Tens of thousands of folders are not kept until the end.
  rmSync(folder, { recursive: true });
  return model.told.length;
}

const cases = Object.values(contents).flatMap(casesOf);
const atBytes = cases.flatMap(cutsOf);

describe("a call that is cut off", () => {
  it("acceptance 7: [D4] [D10] leaves nothing partial and is completed within three continuations, wherever it is cut", async () => {
    const random = new Random(seed);
    const cuts = spread(atBytes, share(20_000, 90));
    const counts = [0, 0, 0, 0];
    for (const cut of cuts) counts[await completes(cut, random)]!++;
    const [, one, two, three] = counts;
    console.log(
      `proof: cuts: ${cuts.length} of ${atBytes.length} cuts at bytes of ${cases.length} calls; completed after ${one}, ${two}, ${three} cuts with one, two, three continuations (seed ${seed})`,
    );
  }, 3_600_000);

  it("[D3] does not keep half a character", async () => {
    const random = new Random(seed);
    const cuts = spread(cases.flatMap(halvesOf), share(10_000, 12));
    for (const cut of cuts) await completes(cut, random);
    console.log(`proof: cuts: ${cuts.length} between the halves of a character`);
  }, 600_000);

  const [write] = casesOf(contents["ascii"] as (typeof contents)[string]);
  const half = (stop: StopReason): Cut => {
    const of = write as Case;
    return { of, arrived: of.text.slice(0, of.text.length / 2), stop };
  };

  it("acceptance 7: with AGENT_LENGTH_RESUME_MAX=0 fails at once, and says so", async () => {
    for (const stop of ["length", "none", "tool_use"] as const) {
      const { model, result, target, requests } = await cutOnce(half(stop), new Random(seed), 0);
      expect(model.told).toEqual([]);
      expect(result).toMatchObject({ reason: "ok", rounds: 2 });
      expect(existsSync(target)).toBe(false);
      const failed = requests[1]?.messages.at(-1);
      expect(failed).toMatchObject({ role: "tool_result", isError: true });
      expect(textOf(failed)).toContain("[cut_off]");
      expect(textOf(failed)).not.toContain("next message");
    }
  });

  it("acceptance 7: is continued three times and then fails, with the file as it was", async () => {
    const cut = half("length");
    const requests: ModelRequest[] = [];
    const folder = newFastFolder();
    const { agent, events } = await fileAgent({
      call: thinkingModel((_request, index) => {
        if (index === 4) return { text: "It does not fit." };
        const toolCalls = [{ name: "write_file", arguments: cut.arrived, id: `c-${index}` }];
        return { toolCalls, stop: "length" };
      }, requests),
      folder,
    });
    const result = await agent.send("Write it");
    await agent.close();
    expect(result).toMatchObject({ reason: "ok", text: "It does not fit.", rounds: 5 });
    const resumes = events.flatMap((event) => (event.type === "length_resume" ? [event.resume] : []));
    expect(resumes).toEqual([1, 2, 3]);
    const last = requests[4]?.messages.at(-1);
    expect(last).toMatchObject({ role: "tool_result", isError: true });
    expect(textOf(last)).not.toContain("next message");
    expect(existsSync(join(folder, cut.of.file))).toBe(false);
    expect(findDisorder(agent.conversation.messages)).toBeUndefined();
  });

  it("that parses with a normal ending is written, and said to look cut in one note", async () => {
    const requests: ModelRequest[] = [];
    const folder = newFastFolder();
    const content = "export function half() {\n  return [1, 2,\n";
    const { agent } = await fileAgent({
      call: thinkingModel(
        (_request, index) =>
          index === 0
            ? { toolCalls: [{ name: "write_file", arguments: { path: "a.ts", content } }] }
            : index === 1
              ? { toolCalls: [{ name: "read_file", arguments: { path: "a.ts" } }] }
              : { text: "Wrote a.ts; its end is missing." },
        requests,
      ),
      folder,
    });
    await agent.send("Write it");
    await agent.close();
    expect(readFileSync(join(folder, "a.ts"), "utf8")).toBe(content);
    expect(textOf(requests[1]?.messages.at(-1))).toContain("likely_truncated=true");
    const nudged = requests.map(({ system = "" }) => system.includes("[WRITE INTEGRITY]"));
    expect(nudged.flatMap((each, at) => (each ? [at] : []))).toEqual([1]);
    expect(JSON.stringify(agent.conversation.messages)).not.toContain("[WRITE INTEGRITY]");
  });

  it("that parses, ends without a good reason and looks cut is not written before it is continued", async () => {
    const content = "export function whole() {\n  return [1, 2,\n    3];\n}\n";
    for (const stop of ["length", "none"] as const) {
      const folder = newFastFolder();
      const told: string[] = [];
      const { agent } = await fileAgent({
        call: thinkingModel((request, index) => {
          const args = { path: "a.ts", mode: "create", content: content.slice(0, 40) };
          if (index === 0) return { toolCalls: [{ name: "write_file", arguments: args, id: "c-0" }], stop };
          if (index > 1) return { text: "Wrote a.ts." };
          expect(existsSync(join(folder, "a.ts"))).toBe(false);
          told.push(textOf(request.messages.at(-1)));
          const rest = content.slice(toldBy(told[0] ?? "")?.bytes);
          return {
            toolCalls: [
              { name: "write_file", arguments: { path: "a.ts", mode: "append", content: rest }, id: "c-1" },
            ],
          };
        }),
        folder,
      });
      await agent.send("Write it");
      await agent.close();
      expect(toldBy(told[0] ?? "")).toMatchObject({ path: "a.ts", bytes: 40, kept: true });
      expect(readFileSync(join(folder, "a.ts"), "utf8")).toBe(content);
    }
  });

  it("with the sink off keeps nothing: the call is made again from its beginning", async () => {
    const folder = newFastFolder();
    const cut = half("length");
    const told: string[] = [];
    const { agent } = await fileAgent({
      call: thinkingModel((request, index) => {
        const of = (text: string, stop: StopReason): ScriptedAnswer => ({
          toolCalls: [{ name: "write_file", arguments: text, id: `c-${index}` }],
          stop,
        });
        if (index === 0) return of(cut.arrived, "length");
        if (index === 2) return { text: "Done." };
        told.push(textOf(request.messages.at(-1)));
        return of(cut.of.text, "tool_use");
      }),
      folder,
      config: { writeStreamSink: false },
    });
    await agent.send("Write it");
    await agent.close();
    expect(toldBy(told[0] ?? "")).toMatchObject({ path: cut.of.file, kept: false });
    expect(readFileSync(join(folder, cut.of.file), "utf8")).toBe(cut.of.after);
  });
});
