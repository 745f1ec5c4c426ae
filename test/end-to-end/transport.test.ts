/** Work that goes from one folder to another: two real projects, the built command, the destination's own gate. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@bridle/record";
import { beforeAll, describe, expect } from "vitest";
import { test } from "../support/everyday.js";
import { newFolder } from "../support/folder.js";
import { Premath } from "../support/premath.js";

let premath: Premath;
beforeAll(async () => {
  premath = await Premath.build();
});

class Pair {
  readonly from = newFolder();
  readonly to = newFolder();
  private readonly env = { XDG_CONFIG_HOME: newFolder() };

  static async begin(): Promise<Pair> {
    const pair = new Pair();
    mkdirSync(join(pair.to, ".premath"));
    await pair.here(
      "issue",
      "add",
      "Retry uploads",
      "--priority",
      "1",
      "--description",
      "Acceptance:\n- done",
    );
    await pair.lane("open", "squeak");
    return pair;
  }

  here(...words: string[]) {
    return premath.oneOfMany(words, { cwd: this.from, env: this.env });
  }

  /** What somebody at the destination says about who may change things there. */
  lane(...words: string[]) {
    return premath.here(["lane", ...words], { cwd: this.to, env: this.env });
  }

  send(...words: string[]) {
    return this.here("transport-send", "bd-1", "--to", this.to, ...words);
  }

  async there(): Promise<JsonObject[]> {
    const listed = await premath.here(["issue", "list", "--json"], { cwd: this.to });
    return listed.code === 0 ? (listed.json()["items"] as JsonObject[]) : [];
  }

  rows(folder: string): JsonObject[] {
    const path = join(folder, ".premath/harness_trajectory.jsonl");
    if (!existsSync(path)) return [];
    return readFileSync(path, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as JsonObject);
  }

  world(more: object): void {
    mkdirSync(join(this.to, "policies/control"), { recursive: true });
    const usual = {
      ...{ kind: "bridle.world.v1", worldId: "world.other", kernelProfile: "bridle.v1" },
      ...{ capabilityVector: ["issue.add"], adapterSet: ["files"], comparisonModes: ["digest"] },
      witnessSchema: "premath.host_effect.v0",
    };
    writeFileSync(join(this.to, "policies/control/world-v1.json"), JSON.stringify({ ...usual, ...more }));
  }
}

describe("premath transport-send", () => {
  test("[RUNTIME-1.2.2] [RUNTIME-1.2.5] hands an issue over, and both sides keep both refs", async () => {
    const pair = await Pair.begin();
    await pair.here("harness-session", "write", "--state", "active", "--issue-id", "bd-1");
    const ended = await pair.send("--json");
    expect(ended.code, ended.stderr).toBe(0);
    const { deliveredIssueId, witnessRefs, outcomes } = ended.json();
    expect(outcomes).toMatchObject([
      { outcomeClass: "transport", result: "accepted" },
      { outcomeClass: "gate", result: "accepted" },
    ]);
    expect(await pair.there()).toMatchObject([{ id: deliveredIssueId, title: "Retry uploads", priority: 1 }]);
    const [sent, received] = [pair.rows(pair.from), pair.rows(pair.to)];
    expect(sent).toMatchObject([{ action: "squeak.send", issueId: "bd-1", witnessRefs }]);
    expect(received).toMatchObject([{ action: "squeak.receive", issueId: deliveredIssueId, witnessRefs }]);
    expect(sent[0]?.["lineageRefs"]).toEqual([expect.stringMatching(/^ctx:\/\/issue\/bd-1\/[0-9a-f]{16}$/)]);
    const session = await pair.here("harness-session", "read", "--json");
    expect(JSON.stringify(session.json())).toContain((witnessRefs as string[])[0]);
  });

  test("[RUNTIME-1.2.3] sent again it is the same packet, and changes nothing", async () => {
    const pair = await Pair.begin();
    const first = (await pair.send("--json")).json();
    const again = (await pair.send("--json")).json();
    expect(again).toEqual({ ...first, changed: false });
    expect(first["changed"]).toBe(true);
    expect(await pair.there()).toHaveLength(1);
    expect(pair.rows(pair.to)).toHaveLength(1);
  });

  test("[RUNTIME-1.2.4] [RUNTIME-1.2.6] [RUNTIME-1.2.7] what arrives is taken only if the destination's gate says so", async () => {
    const pair = await Pair.begin();
    writeFileSync(join(pair.to, ".premath/issues.jsonl"), "<<<<<<< ours\n=======\n>>>>>>> theirs\n");
    const ended = await pair.send("--json");
    expect(ended.code).toBe(1);
    const answer = ended.json();
    expect(answer).toMatchObject({
      ...{ result: "rejected", deliveredIssueId: null, changed: false },
      outcomes: [
        { outcomeClass: "transport", result: "accepted", failureClasses: [] },
        { outcomeClass: "gate", result: "rejected" },
      ],
    });
    expect(answer["failureClasses"]).not.toEqual([]);
    expect(pair.rows(pair.to)).toEqual([]);
    const [refused] = answer["failureClasses"] as string[];
    expect(pair.rows(pair.from)).toMatchObject([{ resultClass: refused }]);
    writeFileSync(join(pair.to, ".premath/issues.jsonl"), "");
    expect((await pair.send("--json")).json()).toMatchObject({ result: "accepted", changed: true });
    expect(pair.rows(pair.from).map(({ resultClass }) => resultClass)).toEqual([refused, "accepted"]);
  });

  test("[RUNTIME-1.2.4] [RUNTIME-1.2.6] whoever sends brings no authority along: a lane of the destination decides", async () => {
    const pair = await Pair.begin();
    await pair.lane("close", "squeak");
    const refused = await pair.send();
    expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining("premath lane open")]);
    await pair.lane("open", "squeak", "--allow", "issue.claim");
    const narrow = (await pair.send("--json")).json();
    expect(narrow).toMatchObject({
      failureClasses: ["mutation.capability_claim_missing"],
      outcomes: [{ result: "accepted" }, { outcomeClass: "gate", result: "rejected" }],
    });
    expect(await pair.there()).toEqual([]);
    await pair.lane("open", "squeak");
    expect((await pair.send("--json")).json()).toMatchObject({ result: "accepted", changed: true });
    const memory = readFileSync(join(pair.to, ".premath/issues.jsonl"), "utf8");
    expect(memory).toContain("instruction://lane/squeak/");
  });

  test.each<[string, object, string]>([
    ["no adapter", { adapterSet: ["post"] }, "world_morphism_missing"],
    ["no such ability", { capabilityVector: [] }, "world_capability_mismatch"],
    ["other witnesses", { witnessSchema: "x" }, "world_policy_mismatch"],
    ["no description", { kind: "x" }, "world_invalid"],
  ])("[RUNTIME-1.2.1] a destination with %s gets nothing", async (_what, other, failureClass) => {
    const pair = await Pair.begin();
    pair.world(other);
    const ended = await pair.send();
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(failureClass);
    expect(await pair.there()).toEqual([]);
    expect(pair.rows(pair.from)).toEqual([]);
  });

  test("an issue that is not there, a folder that is none, and the same folder are refused", async () => {
    const pair = await Pair.begin();
    for (const [words, failureClass] of [
      [["bd-9", "--to", pair.to], "transport_context_unresolved"],
      [["bd-1", "--to", "nowhere"], "transport_context_unresolved"],
      [["bd-1", "--to", "."], "transport_non_composable"],
    ] as const) {
      const ended = await pair.here("transport-send", ...words);
      expect(ended.code).toBe(1);
      expect(ended.stderr).toContain(failureClass);
    }
  });
});

test("[RUNTIME-8.11] transport has a route of its own, in the world of work", () => {
  const file = fileURLToPath(new URL("../../policies/control/doctrine-op-registry-v1.json", import.meta.url));
  const { operations } = JSON.parse(readFileSync(file, "utf8")) as {
    operations: { id: string; routeFamilyId: string }[];
  };
  const carrying = operations.filter(({ id }) => id === "op/transport.send");
  expect(carrying.map(({ routeFamilyId }) => routeFamilyId)).toEqual(["route.transport"]);
});
