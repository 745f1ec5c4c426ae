/**
 * Which tests belong to a source file: all that lie beside it, and for some folders
 * those that drive them from outside.
 */
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { root } from "../ensure.mjs";

const driven = {
  "packages/agent/src/dispatch/": [
    ...["asks", "planted", "clauses", "clauses-refused", "clauses-writes", "defects"],
  ],
  "packages/agent/src/turn/": [
    ...["planted", "clauses", "clauses-counted", "clauses-writes", "defects", "acceptance"],
  ],
  "packages/tools/src/write/": ["clauses-writes"],
};

export function testsOf(file) {
  const folder = path.dirname(file);
  const beside = readdirSync(path.join(root, folder))
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => path.join(folder, name));
  const outside = Object.entries(driven)
    .filter(([prefix]) => file.startsWith(prefix))
    .flatMap(([, names]) => names.map((name) => `test/agent/${name}.test.ts`))
    .filter((name) => existsSync(path.join(root, name)));
  return [...beside, ...outside];
}
