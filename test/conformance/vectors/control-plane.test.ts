/**
 * The public control-plane contract: our names are the names it froze.
 *
 * Every session and trajectory action that the contract requires has our
 * operation, and every required action that we have is bound as the contract
 * binds it: its id, its command words, every flag that it spells and its tool.
 * That its other actions are planned is said in docs/contracts/anchors.md.
 */
import { propertiesOf } from "@bridle/operation";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Manifest } from "@bridle/operation";
import { hasFixtures, readFixture } from "./fixtures.js";

interface Binding {
  readonly canonicalCli: string | null;
  readonly mcpTool?: string | null;
  readonly operationId: string;
}

interface Contract {
  readonly hostActionSurface: { readonly requiredActions: Readonly<Record<string, Binding>> };
}

const manifestFile = new URL(
  "../../../packages/surface/src/manifest/manifest.generated.json",
  import.meta.url,
);
const { operations } = JSON.parse(readFileSync(manifestFile, "utf8")) as Manifest;

interface Ours {
  readonly id: string;
  readonly words: string;
  readonly flags: string[];
  readonly tool: string;
}

function bindingOf(action: string): Ours | undefined {
  const entry = operations.find(({ names }) =>
    [names.action, ...(names.otherActions ?? [])].includes(action),
  );
  if (entry === undefined) return undefined;
  const { id, command, tool, mode } = entry.names;
  const own = propertiesOf(entry.input).map(({ flag }) => `--${flag}`);
  const flags = mode === undefined ? own : [...own, "--mode"];
  return { id, words: `${entry.family} ${command.join(" ")}`, flags, tool };
}

describe("the actions of this repository", () => {
  it.each(operations.filter(({ family }) => family === "premath"))(
    "$names.id is spelled alike in its action and its tool",
    ({ names }) => {
      expect(names.tool).toBe(names.action.replaceAll(".", "_"));
    },
  );

  it.each([
    ["required.witness.verify", "required.witness_verify"],
    ["required.decision.verify", "required.decision_verify"],
  ])(
    "[TUSK-14.2.16] [TUSK-14.2.17] %s and %s, which two contracts froze, are one operation",
    (one, other) => {
      expect(bindingOf(one)).toBeDefined();
      expect(bindingOf(one)).toEqual(bindingOf(other));
    },
  );
});

if (hasFixtures("premath/CONTROL-PLANE-CONTRACT.json")) {
  const contract = readFixture<Contract>("premath/CONTROL-PLANE-CONTRACT.json");
  const all = Object.entries(contract.hostActionSurface.requiredActions);
  const required = all.filter(([action]) => /^harness\.(session|trajectory)\./.test(action));
  // An action that the contract runs as a task of mise is a task here too; test/conformance/mise.test.ts runs those.
  const ours = all
    .filter(([action]) => bindingOf(action) !== undefined)
    .filter(([, { canonicalCli }]) => canonicalCli?.startsWith("mise run ") !== true);

  describe("the control-plane contract", () => {
    it("requires the five session and trajectory actions", () => {
      expect(required.map(([action]) => action).toSorted()).toEqual([
        "harness.session.bootstrap",
        "harness.session.read",
        "harness.session.write",
        "harness.trajectory.append",
        "harness.trajectory.query",
      ]);
    });

    it.each(required)("requires %s, which we have", (action) => {
      expect(ours.map(([name]) => name)).toContain(action);
    });

    it.each(ours)("binds %s as we do", (action, { canonicalCli, operationId, mcpTool }) => {
      const { id, words, flags, tool } = bindingOf(action) ?? {};
      const cli = canonicalCli ?? words ?? "";
      expect({ id, words }).toEqual({ id: operationId, words: /^[a-z -]*?(?= --| <|$)/.exec(cli)?.[0] });
      expect(tool).toBe(mcpTool ?? tool);
      expect(flags).toEqual(
        expect.arrayContaining(cli.match(/--[a-z-]+/g)?.filter((flag) => flag !== "--json") ?? []),
      );
      const mode = /--mode ([a-z_]+)/.exec(cli)?.[1];
      const entry = operations.find(({ names }) => names.id === operationId);
      if (mode !== undefined && entry?.names.mode !== undefined) expect(entry.names.mode).toBe(mode);
    });
  });
}
