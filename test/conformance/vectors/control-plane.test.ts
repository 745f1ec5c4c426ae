/**
 * The public control-plane contract: our names are the names it froze.
 *
 * Every session and trajectory action that the contract requires has our
 * operation, with its id, its command words and every flag that it spells. That
 * its other actions are planned is said in docs/contracts/anchors.md.
 */
import { propertiesOf } from "@bridle/operation";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Manifest } from "@bridle/operation";
import { hasFixtures, readFixture } from "./fixtures.js";

interface Binding {
  readonly canonicalCli: string | null;
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

function bindingOf(action: string): { id: string; words: string; flags: string[] } | undefined {
  const entry = operations.find(({ names }) => names.action === action);
  if (entry === undefined) return undefined;
  const flags = propertiesOf(entry.input).map(({ flag }) => `--${flag}`);
  return { id: entry.names.id, words: `${entry.family} ${entry.names.command.join(" ")}`, flags };
}

describe("the actions of this repository", () => {
  it.each(operations.filter(({ family }) => family === "premath"))(
    "$names.id is spelled alike in its action and its tool",
    ({ names }) => {
      expect(names.tool).toBe(names.action.replaceAll(".", "_"));
    },
  );
});

if (hasFixtures("premath/CONTROL-PLANE-CONTRACT.json")) {
  const contract = readFixture<Contract>("premath/CONTROL-PLANE-CONTRACT.json");
  const required = Object.entries(contract.hostActionSurface.requiredActions).filter(([action]) =>
    /^harness\.(session|trajectory)\./.test(action),
  );

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

    it.each(required)("binds %s as we do", (action, { canonicalCli, operationId }) => {
      const ours = bindingOf(action);
      const words = /^[a-z -]*?(?= --|$)/.exec(canonicalCli ?? "")?.[0];
      const flags = (canonicalCli ?? "").match(/--[a-z-]+/g)?.filter((flag) => flag !== "--json") ?? [];
      expect({ id: ours?.id, words: ours?.words }).toEqual({ id: operationId, words });
      expect(ours?.flags).toEqual(expect.arrayContaining(flags));
    });
  });
}
