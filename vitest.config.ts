/**
 * Tests run on the TypeScript sources, so `npm test` needs no build of the
 * packages; the end-to-end tests build the command line themselves.
 */
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (name: string) => fileURLToPath(new URL(`./packages/${name}/src/index.ts`, import.meta.url));
const rooms = readdirSync(new URL("./packages", import.meta.url));

export default defineConfig({
  // By the second name, users import a room from the package; the examples do.
  resolve: {
    alias: Object.fromEntries(
      rooms.flatMap((room) => [`@bridle/${room}`, `bridle/${room}`].map((name) => [name, source(room)])),
    ),
  },
  test: {
    include: ["packages/*/src/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["test/support/run-folder.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: "forks",
    // Files of one worker share their modules: to load the rooms for each of them took a third of the time.
    isolate: false,
    // Many tests wait for a program or a clock; a third worker uses the time.
    maxWorkers: 3,
  },
});
