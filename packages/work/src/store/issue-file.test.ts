/** Issue memory keeps what it was told, reads what others wrote, and touches nothing that it does not know. */
import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { Failure, isRefusal, nodePorts } from "@bridle/record";
import { alterFiles, FaultyFiles, Simulation } from "@bridle/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newFastFolder, newFolder } from "../../../../test/support/folder.js";
import { holdsAsync } from "../../../../test/support/property.js";
import { newRow, patchRow } from "../memory/issue-row.js";
import { IssueMemory } from "./issue-file.js";
import type { Decide } from "../memory/types.js";

const ports = nodePorts();

async function memoryWith(lines: string) {
  const path = join(newFolder(), "issues.jsonl");
  writeFileSync(path, lines);
  return { path, memory: await IssueMemory.open({ path, ports }) };
}

const add =
  (title: string): Decide<string> =>
  (graph) => {
    const id = graph.freeId();
    return { answer: id, rows: [newRow({ id, title, status: "open", priority: 2 })] };
  };

const setTitle =
  (id: string, title: string): Decide<string> =>
  (graph) => {
    const node = graph.get(id);
    if (node === undefined) throw new Error("not there");
    return { answer: title, rows: [patchRow(id, node.text, { title })] };
  };

/** Everything that a reader can ask of a memory. */
async function answersOf(memory: IssueMemory) {
  const graph = await memory.graph();
  const { exists, damage, rowCount, rowsWithoutId, findings } = memory;
  return {
    exists,
    issues: graph.sorted().map(({ id, text, line }) => [id, text, line]),
    ready: [...graph.ready()].map(({ id }) => id),
    blocked: [...graph.blocked()].map(({ id }) => id),
    claimable: graph.claimable("ada", 0)?.id,
    damage: damage.map(({ line, byte, damage: kind }) => [line, byte, kind]),
    rowCount,
    rowsWithoutId,
    findings,
  };
}

describe("catching up", () => {
  it("comes to what reading afresh comes to, whoever appended, compacted, edited or damaged the file in between", async () => {
    const id = fc.constantFrom("bd-1", "bd-2", "bd-3");
    const step = fc.oneof(
      fc.record({
        does: fc.constant("change" as const),
        id,
        by: fc.boolean(),
        word: fc.string({ maxLength: 9 }),
      }),
      fc.record({ does: fc.constant("close" as const), id }),
      fc.record({ does: fc.constant("compact" as const), by: fc.boolean() }),
      fc.record({
        does: fc.constant("append" as const),
        id,
        word: fc.constantFrom("é", "x", "😀 long enough"),
      }),
      fc.record({ does: fc.constant("comment" as const) }),
      fc.record({ does: fc.constant("no id" as const) }),
      fc.record({ does: fc.constant("damage" as const) }),
      fc.record({ does: fc.constant("unfinished" as const) }),
      fc.record({ does: fc.constant("edit" as const), word: fc.constantFrom("short", "a good deal longer") }),
      fc.record({ does: fc.constant("replace" as const) }),
      fc.record({ does: fc.constant("remove" as const) }),
      fc.record({ does: fc.constant("ask" as const) }),
    );
    const path = join(newFastFolder(), "issues.jsonl");
    await holdsAsync(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
        rmSync(path, { force: true });
        const [mine, other] = [
          await IssueMemory.open({ path, ports }),
          await IssueMemory.open({ path, ports }),
        ];
        const row = (name: string, word: string) =>
          JSON.stringify({
            id: name,
            title: word,
            dependencies: [{ issue_id: name, depends_on_id: "bd-1", type: "blocks" }],
          });
        const write = (text: string) => appendFileSync(path, text);
        try {
          for (const now of steps) {
            switch (now.does) {
              case "change":
                await changed(now.by ? mine : other, { id: now.id, title: now.word, status: "open" });
                break;
              case "close":
                await changed(mine, { id: now.id, title: "closed", status: "closed" });
                break;
              case "compact":
                await (now.by ? mine : other).compact().catch(orDamaged);
                break;
              case "append":
                write(`${row(now.id, now.word)}\n`);
                break;
              case "comment":
                write("# a note\n");
                break;
              case "no id":
                write('{"title":"nameless"}\n');
                break;
              case "damage":
                write("not json\n");
                break;
              case "unfinished":
                write('{"id":"bd-3","ti');
                break;
              case "edit":
                if (existsSync(path)) {
                  writeFileSync(
                    path,
                    readFileSync(path, "utf8").replace(/"title":"[^"]*"/, `"title":"${now.word}"`),
                  );
                }
                break;
              case "replace":
                writeFileSync(`${path}.new`, `${row("bd-2", "from elsewhere")}\n`);
                renameSync(`${path}.new`, path);
                break;
              case "remove":
                rmSync(path, { force: true });
                break;
              case "ask":
                await mine.graph();
            }
          }
          const fresh = await IssueMemory.open({ path, ports });
          expect(await answersOf(mine)).toEqual(await answersOf(fresh));
          await fresh.close();
        } finally {
          await Promise.all([mine.close(), other.close()]);
        }
      }),
      150,
    );
  });
});

/** A file that is damaged is not changed, and that is no failure here. */
function orDamaged(error: unknown): void {
  if (!(error instanceof Failure) || error.failureClass !== "log_damaged") throw error;
}

async function changed(
  memory: IssueMemory,
  row: { id: string; title: string; status: string },
): Promise<void> {
  await memory.change(() => ({ answer: 0, rows: [newRow(row)] }), { create: true }).catch(orDamaged);
}

describe("issue memory", () => {
  it("appends a row for a change and answers from the last one", async () => {
    const { path, memory } = await memoryWith("");
    expect(await memory.change(add("one"))).toBe("bd-1");
    expect(await memory.change(add("two"))).toBe("bd-2");
    await memory.change(setTitle("bd-1", "uno"));
    const graph = await memory.graph();
    expect([...graph.ready()].map(({ id, title }) => [id, title])).toEqual([
      ["bd-1", "uno"],
      ["bd-2", "two"],
    ]);
    expect(readFileSync(path, "utf8").split("\n")).toHaveLength(4);
    await memory.close();
  });

  it("keeps bytes that it does not know through a change and a compaction", async () => {
    const odd = `{"2":1.0,"title":"a\\u0062","id":"bd-1","big":18446744073709551615,"x":{"b":1,"a":[1e2]}}`;
    const { path, memory } = await memoryWith(`# why\n${odd}\n{"note":"no id","n":1.50}\n`);
    await memory.change(setTitle("bd-1", "new"));
    expect(readFileSync(path, "utf8").split("\n")[3]).toBe(odd.replace('"a\\u0062"', '"new"'));
    expect(await memory.compact()).toEqual({ changed: true, rowsBefore: 3, rowsAfter: 2 });
    expect(readFileSync(path, "utf8")).toBe(
      `# why\n{"note":"no id","n":1.50}\n${odd.replace('"a\\u0062"', '"new"')}\n`,
    );
    expect(await memory.compact()).toEqual({ changed: false, rowsBefore: 2, rowsAfter: 2 });
    await memory.close();
  });

  it("sees what another wrote, a file that was replaced and one that was edited in place", async () => {
    const { path, memory } = await memoryWith(`{"id":"bd-1","title":"one"}\n`);
    const titles = async () => [...(await memory.graph()).sorted()].map(({ title }) => title);
    expect(await titles()).toEqual(["one"]);
    const other = await IssueMemory.open({ path, ports });
    await other.change(add("two"));
    expect(await titles()).toEqual(["one", "two"]);
    await other.change(setTitle("bd-1", "uno"));
    await other.compact();
    expect(await titles()).toEqual(["uno", "two"]);
    writeFileSync(
      path,
      `{"id":"bd-9","title":"a longer one than there was before, by far, so that it is longer"}\n`,
    );
    appendFileSync(path, `{"id":"bd-8","title":"eight"}\n`);
    expect(await titles()).toEqual(["eight", expect.stringContaining("longer")]);
    expect(await memory.change(add("next"))).toBe("bd-1");
    await memory.close();
    await other.close();
  });

  it("sees the row that took the place of an unfinished one of the same length, in the same tick", async () => {
    const one = `{"id":"bd-1","title":"one"}\n`;
    const { path, memory } = await memoryWith(`${one}{"id":"bd-2","title":"never finis`);
    const tick = new Date("2026-01-01T00:00:00Z");
    utimesSync(path, tick, tick);
    expect((await memory.graph()).size).toBe(1);
    const handle = openSync(path, "r+");
    writeSync(handle, `{"id":"bd-3","title":"finished"}\n`, Buffer.byteLength(one));
    closeSync(handle);
    utimesSync(path, tick, tick);
    expect((await memory.graph()).get("bd-3")?.title).toBe("finished");
    await memory.close();
  });

  it("tells files apart that had one inode after the other within a tick of the clock", async () => {
    const disk = new Simulation({ seed: 1 }).machine().disk;
    const [path, files] = ["/data/issues.jsonl", disk.files()];
    let made = 0;
    const replace = async () => {
      disk.put("/data/next", `{"id":"bd-1","title":"${String(++made).padStart(4, "0")}"}\n`);
      await files.rename("/data/next", path);
    };
    await replace();
    const memory = await IssueMemory.open({ path, ports: { ...ports, files } });
    for (let round = 0; round < 50; round++) {
      expect(Number((await memory.graph()).get("bd-1")?.title)).toBe(made);
      await replace();
      await replace();
    }
    await memory.close();
  });

  it("counts no row twice when the disk failed while it was read", async () => {
    const path = join(newFolder(), "issues.jsonl");
    writeFileSync(path, `{"id":"bd-1","title":"one"}\n{"id":"bd-2","title":"two"}\n`);
    // The second read is the one that finds the end.
    const files = new FaultyFiles(ports.files, { fault: "EIO", at: 2, methods: ["read"] });
    const memory = await IssueMemory.open({ path, ports: { ...ports, files } });
    await expect(memory.graph()).rejects.toThrow();
    expect((await memory.graph()).size).toBe(2);
    expect(memory.rowCount).toBe(2);
    await memory.close();
  });

  it("is compacted by itself when replaced rows dominate", async () => {
    const { path, memory } = await memoryWith(`{"id":"bd-1","title":"one"}\n`);
    for (let i = 0; i <= 1_001; i++) await memory.change(setTitle("bd-1", `title ${i}`));
    expect(readFileSync(path, "utf8").split("\n").length).toBeLessThan(10);
    expect((await memory.graph()).get("bd-1")?.title).toBe("title 1001");
    await memory.close();
  });

  it("is compacted once, also when many notice at once that it should be", async () => {
    const garbage = Array.from({ length: 1_002 }, (_, i) => `{"id":"bd-1","title":"title ${i}"}\n`);
    const { path, memory } = await memoryWith(garbage.join(""));
    let compactions = 0;
    const rename = (from: string, to: string) => {
      if (to === path) compactions++;
      return ports.files.rename(from, to);
    };
    const watched = { ...ports, files: alterFiles(ports.files, { files: { rename } }) };
    const crowd = await Promise.all(
      Array.from({ length: 5 }, () => IssueMemory.open({ path, ports: watched })),
    );
    for (const each of crowd) await each.graph();
    const changeOften = (each: IssueMemory) =>
      Promise.all([1, 2, 3, 4, 5].map((i) => each.change(setTitle("bd-1", `again ${i}`))));
    await Promise.all(crowd.map(changeOften));
    expect(compactions).toBe(1);
    for (const each of [...crowd, memory]) await each.close();
  });

  it("that was replaced is read anew without keeping others from changing it", async () => {
    const { path, memory } = await memoryWith(`{"id":"bd-1","title":"one"}\n{"id":"bd-1","title":"uno"}\n`);
    let reached = () => {};
    const reading = new Promise<void>((resolve) => (reached = resolve));
    let goOn = () => {};
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    let slow = false;
    const files = alterFiles(ports.files, {
      openFile: (file) => ({
        async read(offset, length) {
          // One byte is the look at the end of the file, which belongs under the lock.
          if (slow && length > 1) {
            reached();
            await gate;
          }
          return file.read(offset, length);
        },
      }),
    });
    const reader = await IssueMemory.open({ path, ports: { ...ports, files } });
    await reader.graph();
    await memory.compact();
    slow = true;
    const change = reader.change(add("by the reader"));
    await reading;
    expect(await memory.change(add("meanwhile"))).toBe("bd-2");
    slow = false;
    goOn();
    expect(await change).toBe("bd-3");
    await memory.close();
    await reader.close();
  });

  it("that is not there is refused and not made", async () => {
    const path = join(newFolder(), "issues.jsonl");
    const memory = await IssueMemory.open({ path, ports });
    const answer = await memory.change(setTitle("bd-1", "x"));
    expect(isRefusal(answer) && answer.refused).toBe("issue_memory_missing");
    expect((await memory.graph()).size).toBe(0);
    expect(await ports.files.stat(path)).toBeUndefined();
    await memory.close();
  });
});
