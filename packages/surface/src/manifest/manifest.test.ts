import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { FailuresByRoom } from "@bridle/operation";
import { generateManifest, manifestFileText } from "./generate.js";
import { loadManifest } from "./load.js";
import { loadOperation } from "./rooms.js";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const { version } = JSON.parse(readFileSync(`${root}/package.json`, "utf8")) as { version: string };

/** What each room declares, in the order of the rooms' names. */
async function declaredFailures(): Promise<FailuresByRoom> {
  const rooms = readdirSync(`${root}/packages`).toSorted();
  const files = rooms.map((room) => [room, `${root}/packages/${room}/src/failures.ts`] as const);
  const loaded = files
    .filter(([, file]) => existsSync(file))
    .map(async ([room, file]) => {
      const { failures } = (await import(file)) as { failures: Record<string, string> };
      return [room, failures] as const;
    });
  return Object.fromEntries(await Promise.all(loaded));
}

describe("the manifest", () => {
  test("is current; `npm run build` writes it", async () => {
    const file = readFileSync(new URL("./manifest.generated.json", import.meta.url), "utf8");
    expect(file).toBe(
      manifestFileText(await generateManifest({ version, failures: await declaredFailures() })),
    );
  });

  test("has the failure classes of every room, each declared by one", async () => {
    const { failures } = loadManifest();
    expect(failures).toEqual(await declaredFailures());
    const names = Object.values(failures).flatMap((classes) => Object.keys(classes));
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(200);
    for (const sentence of Object.values(failures).flatMap((classes) => Object.values(classes)))
      expect(sentence).toMatch(/^[A-Za-z].*\.$/);
  });

  test("is not written when two rooms declare the same failure class", async () => {
    const failures = { one: { door_shut: "The door is shut." }, two: { door_shut: "It is shut." } };
    await expect(generateManifest({ version, failures })).rejects.toThrow(
      "the failure class door_shut is declared in one and in two",
    );
  });

  test("leads from every entry to the operation behind it", async () => {
    const { operations } = loadManifest();
    for (const entry of operations) expect((await loadOperation(entry)).names).toEqual(entry.names);
    expect(operations.length).toBeGreaterThanOrEqual(9);
  });

  test("says when it is out of date", async () => {
    const [entry] = loadManifest().operations;
    const gone = { ...entry!, names: { ...entry!.names, id: "op/no.such" as const } };
    await expect(loadOperation(gone)).rejects.toThrow(/has no op\/no\.such; the manifest is out of date/);
    await expect(loadOperation({ ...entry!, room: "attic" })).rejects.toThrow(/the room "attic"/);
  });

  test.each([
    ["[RUNTIME-8.3]", "op/harness.session_read", "harness.session.read", "harness-session read"],
    ["[RUNTIME-8.4]", "op/harness.session_write", "harness.session.write", "harness-session write"],
    [
      "[RUNTIME-8.5]",
      "op/harness.session_bootstrap",
      "harness.session.bootstrap",
      "harness-session bootstrap",
    ],
  ])("%s routes %s", (_, id, action, command) => {
    const entry = loadManifest().operations.find(({ names }) => names.id === id);
    expect(entry?.names.action).toBe(action);
    expect(entry?.names.command.join(" ")).toBe(command);
    expect(entry?.family).toBe("premath");
  });

  test("[TUSK-14.2.29] [TUSK-14.2.31] the writing harness actions are mutations behind their frozen commands", () => {
    const effects = Object.fromEntries(
      loadManifest().operations.map(({ names, effect }) => [names.action, [effect, names.command.join(" ")]]),
    );
    expect(effects["harness.session.write"]).toEqual(["mutate", "harness-session write"]);
    expect(effects["harness.trajectory.append"]).toEqual(["mutate", "harness-trajectory append"]);
    expect(effects["harness.session.read"]?.[0]).toBe("read");
  });

  test("a repair belongs on the command line only", () => {
    const repair = loadManifest().operations.find(({ names }) => names.action === "log.repair");
    expect(repair).toMatchObject({ effect: "mutate", surfaces: ["cli"], family: "bridle" });
  });
});
