/** Issue memory keeps what it was told, reads what others wrote, and touches nothing that it does not know. */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRefusal, nodePorts } from "@bridle/record";
import { alterFiles } from "@bridle/testing";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import { newRow, patchRow } from "./issue-row.js";
import { IssueMemory } from "./store.js";
import type { Decide } from "./types.js";

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
