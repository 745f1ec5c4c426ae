/** The planner with a model that is live as far as it can tell, and what its tape gives without any model. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Credentials, Secrets, TapeRecorder } from "@bridle/model";
import type { Call } from "@bridle/operation";
import { type JsonObject, isRefusal } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { newFastFolder } from "../../../../test/support/folder.js";
import {
  accessToken,
  type Asked,
  codex,
  ModelServer,
  type Reply,
} from "../../../../test/support/model-server.js";
import { plannerModelName, scriptedPlanner } from "../../../../test/support/scripted-planner.js";
import { bytesOf, never, packIn, ports, runIn } from "../../../../test/support/search-run.js";
import { runOperation } from "../operations/run.js";
import { actionNames, type Brief } from "../types.js";
import { openPlanner } from "./planner-open.js";
import { plannerPolicy } from "./planner.js";

/** That a live model decides nothing twice is all that a tape does away with. */
const mayDiffer = ["nondeterministic_components", "run_id"];

function expectSameRun(live: string, replayed: string): void {
  const { "run.json": before = "", ...rows } = bytesOf(live);
  const { "run.json": after = "", ...again } = bytesOf(replayed);
  expect(again).toEqual(rows);
  const members = (text: string) =>
    Object.fromEntries(
      Object.entries(JSON.parse(text) as JsonObject).filter(([name]) => !mayDiffer.includes(name)),
    );
  expect(members(after)).toEqual(members(before));
  expect(JSON.parse(after)).toMatchObject({ nondeterministic_components: [] });
}

describe("a live run of the planner", () => {
  it("and its rerun from the tape have equal files, but for what run.json says of the model", async () => {
    const base = newFastFolder();
    const pack = await packIn(base, 12);
    let refusals = 0;
    for (let seed = 1; seed <= 5; seed++) {
      const [live, again] = [join(base, `live-${seed}`), join(base, `again-${seed}`)];
      const path = `${live}.tape.jsonl`;
      const recorder = await TapeRecorder.open({ path, ports });
      const call = recorder.record(scriptedPlanner(seed).call);
      const policy = plannerPolicy({ call, model: plannerModelName, live: true });
      const summary = await runIn({ pack, policy, out: live, jobs: 1 + (seed % 2) });
      await recorder.close();
      refusals += summary.refusals;
      expect(summary.manifest.nondeterministic_components).toEqual([`model ${plannerModelName}`]);
      const replayed = await openPlanner({
        ...{ ports, cwd: base, env: {}, signal: never },
        ...{ model: plannerModelName, tape: { path, replay: true } },
      });
      await runIn({ pack, policy: replayed, out: again, jobs: 1 + ((seed + 1) % 2) });
      expectSameRun(live, again);
    }
    await pack.close();
    expect(refusals).toBeGreaterThan(0);
  });
});

const model = "openai-codex/gpt-5.5";
const token = accessToken("planner");

/** A person who has logged in, and whose Codex is on this machine. */
async function loggedIn(folder: string, server: ModelServer): Promise<Record<string, string>> {
  const config = join(folder, "config/bridle");
  mkdirSync(config, { recursive: true });
  const providers = { "openai-codex": { baseUrl: `${server.url}/backend-api` } };
  writeFileSync(join(config, "models.json"), JSON.stringify({ providers }), { mode: 0o600 });
  const path = join(config, "credentials.json");
  const expiresAt = Date.UTC(2100, 0, 1);
  await new Credentials({ path, ports, secrets: new Secrets() }).store({
    ...{ access: token, refresh: "refresh-token", expiresAt, accountId: "acct-1" },
  });
  return { XDG_CONFIG_HOME: join(folder, "config") };
}

interface View {
  readonly brief: Brief;
  readonly last_outcome: { readonly artifacts: readonly { readonly artifact_id: string }[] };
  readonly working_set: { readonly artifacts: readonly { readonly artifact_id: string }[] };
}

/** A model that reads, keeps and decides from what it is shown. */
const operator: Reply = (response, asked) => {
  const { brief, last_outcome, working_set } = viewIn(asked);
  const [kept] = working_set.artifacts;
  const [read] = last_outcome.artifacts;
  const { anchor_market, window_id } = brief;
  const [name, args] =
    kept !== undefined
      ? ["finalize", { ...end, retained_artifact_ids: [kept.artifact_id] }]
      : read !== undefined
        ? ["keep_artifact", { artifact_id: read.artifact_id }]
        : ["read_derived_metrics", { anchor_market, window_id }];
  const text = JSON.stringify(args);
  const fragments = [text.slice(0, 7), text.slice(7)];
  return codex({ text: ["Looking ", "closer."], call: { name: name as string, fragments } })(response, asked);
};
const end = { decision_class: "finalize_signal", open_risks: [], stop_reason: "evidence_sufficient" };

function viewIn({ body }: Asked): View {
  const [first] = body["input"] as readonly { readonly content: readonly { readonly text: string }[] }[];
  return JSON.parse(first?.content[0]?.text ?? "") as View;
}

describe("the planner through a Codex login", () => {
  it("[SEARCH-1.3] operates whole episodes as the real protocol speaks, and its tape needs no model", async () => {
    const folder = newFastFolder();
    const pack = await packIn(folder, 3);
    const server = (await ModelServer.start()).reply(operator);
    const env = await loggedIn(folder, server);
    const around = { ports, signal: never, cwd: folder, warn: () => {}, progress: () => {} };
    const run = async (out: string, more: object = {}, call: Call = { ...around, env: {} }) => {
      const input = { pack: pack.folder, policy: "planner", params: { model }, out, ...more };
      const answer = await runOperation.run(input, call);
      if (isRefusal(answer)) throw new Error(answer.message);
      return answer;
    };
    const live = await run("runs/live", {}, { ...around, env });
    expect(live).toMatchObject({ episodes: 3, steps: 9, refusals: 0, ends: { finalize_signal: 3 } });
    expect(live.costUsd).toBeGreaterThan(0);
    expect(server.asked).toHaveLength(9);
    for (const { method, path, headers, body } of server.asked) {
      expect([method, path]).toEqual(["POST", "/backend-api/codex/responses"]);
      expect(headers).toMatchObject({ authorization: `Bearer ${token}`, "chatgpt-account-id": "acct-1" });
      expect(body).toMatchObject({ model: "gpt-5.5", store: false, stream: true });
      const tools = (body["tools"] as readonly { readonly name: string }[]).map(({ name }) => name);
      expect(tools).toEqual([...actionNames, "decision_update"]);
    }
    // Without a login and without a server.
    await run("runs/again", { fromTape: true, tape: "runs/live.tape.jsonl" });
    expect(server.asked).toHaveLength(9);
    expectSameRun(join(folder, "runs/live"), join(folder, "runs/again"));
    const everything = JSON.stringify([
      bytesOf(join(folder, "runs/live")),
      bytesOf(join(folder, "runs/again")),
    ]);
    expect(everything).not.toContain(token);
    await pack.close();
  });
});
