/** Real processes that change one document at once. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { useChildren } from "../support/children.js";
import { newFolder } from "../support/folder.js";
import { share } from "../support/scale.js";

const children = useChildren();

it("a document loses no change when eight processes make theirs at once", async () => {
  const path = join(newFolder(), "counter.json");
  const [processes, times] = [8, share(200, 25)];
  const started = Array.from({ length: processes }, () => children.start("count", { path, times }));
  await Promise.all(started.map((child) => child.finish()));
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ count: processes * times });
  console.log(`proof: document: ${processes} processes made ${times} changes each, none was lost`);
});
