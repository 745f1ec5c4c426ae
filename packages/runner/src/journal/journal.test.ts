/** Readers of a journal that grows while they read. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../../../test/support/folder.js";
import { nodePorts } from "@bridle/record";
import { Journal } from "./journal.js";

it("two looks at once see every row once, and what one was given does not grow", async () => {
  const journal = await Journal.open(join(newFolder(), "events.jsonl"), nodePorts());
  const note = (n: number) => journal.append({ kind: "note", worker: "w", effect: "resumed", data: { n } });
  await note(1);
  const [first, second] = await Promise.all([journal.rows(), journal.rows()]);
  await note(2);
  const third = await journal.rows();
  await journal.close();
  const seen = [first, second, third].map((rows) => rows.map(({ data }) => data["n"]));
  expect(seen).toEqual([[1], [1], [1, 2]]);
});
