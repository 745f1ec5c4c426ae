import { expect, it } from "vitest";
import { keepList } from "./keep-list.js";

it.each<[string, string, readonly string[] | undefined]>([
  ["items below it", "keep:\n- a/\n- 'b c'\n", ["a/", "b c"]],
  ["items behind it", "Keep: a/, b.ts\n", ["a/", "b.ts"]],
  ["a list in brackets", 'keep: ["a", `b`]\n', ["a", "b"]],
  ["a blank line within", "keep:\n\n- a\n\n- b\n\nThe rest.\n- c\n", ["a", "b"]],
  ["two lists", "keep: a\n\n## More\nkeep:\n* b\n", ["a", "b"]],
  ["no list", "Please keep: nothing.\n- a\n", undefined],
  ["an empty one", "keep:\n\nText.\n", undefined],
])("a keep list with %s", (_what, text, paths) => {
  expect(keepList(text)?.paths).toEqual(paths);
});
