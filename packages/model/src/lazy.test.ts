import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/folder.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Runs a program that imports the room, with a loader that says when something of pi is loaded. */
async function loadedBy(program: string): Promise<string[]> {
  // Inside of the repository, so that Node finds pi.
  const folder = newFolder();
  const file = join(folder, "program.mjs");
  await build({
    stdin: { contents: program, resolveDir: join(root, "packages/model/src"), loader: "ts" },
    outfile: file,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
    alias: { "@bridle/record": join(root, "packages/record/src/index.ts") },
    plugins: [
      {
        name: "pi-by-address",
        setup(esbuild) {
          esbuild.onResolve({ filter: /^@earendil-works\// }, ({ path }) => ({
            path: import.meta.resolve(path),
            external: true,
          }));
        },
      },
    ],
  });
  const hooks = `export async function load(url, context, next) {
    if (url.includes("@earendil-works")) process._rawDebug("loaded " + url);
    return next(url, context);
  }`;
  const register = `import { register } from "node:module"; register("data:text/javascript,${encodeURIComponent(hooks)}");`;
  const { stderr, status } = spawnSync(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(register)}`, file],
    { encoding: "utf8" },
  );
  expect(status, stderr).toBe(0);
  return stderr.split("\n").filter((line) => line.startsWith("loaded "));
}

describe("pi", () => {
  it("is not loaded by importing the room, by a scripted model, by tapes or by a choice of one's own", async () => {
    const program = `
      import * as model from "./index.ts";
      import { answerOf } from "./answer.ts";
      const { call } = model.scriptedModel([{ text: "hi" }]);
      await answerOf(call({ model: "script/one", messages: [] }));
      const settings = { providers: { local: { baseUrl: "http://127.0.0.1:9/v1" } } };
      await model.chooseModels({ flags: { model: "local/x" }, env: {}, settings, keys: { has: async () => false } });
      model.piModelCall({ models: [], keys: { keyFor: async () => undefined }, ports: {} });
    `;
    expect(await loadedBy(program)).toEqual([]);
  });

  it("is loaded by a call that is made through it, so the watch above sees something", async () => {
    const program = `
      import { readCatalog } from "./index.ts";
      if ((await readCatalog({ providers: {} })).length < 100) process.exit(1);
    `;
    expect((await loadedBy(program)).length).toBeGreaterThan(3);
  });
});
