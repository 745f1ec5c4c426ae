import { describe, expect, it } from "vitest";
import { bad, findings, fine, ok, type Case } from "../../../../test/support/replay-send.js";
import { orchId } from "./orch-id.js";
import { spawnPrompt } from "./spawn-prompt.js";

const uuid = (digit: string) => `${digit.repeat(8)}-aaaa-4bbb-8ccc-${digit.repeat(12)}`;
const spawned = (id: string) => ok("spawn_agent", { goal: "x" }, `Started. task_id="${id}"`);
const waits = (...ids: string[]) => ok("wait_for_agents", { task_ids: ids }, "done");
const spawn = (
  system: string | undefined,
  user: string | undefined,
  goal = "Check the licences of all dependencies",
) =>
  ok(
    "spawn_agent",
    {
      goal,
      ...(system === undefined ? {} : { system_prompt: system }),
      ...(user === undefined ? {} : { user_prompt: user }),
    },
    "Started.",
  );
const role = "You check licences against a list.";

describe("R-ORCH-ID, further", () => {
  const cases: Case[] = [
    bad("an id that differs in one letter", [spawned(uuid("a")), waits(uuid("a").replace("bbb", "bcb"))]),
    bad("the number of the agent", [spawned(uuid("a")), spawned(uuid("b")), waits("2")]),
    bad("an id from a listing of agents", [
      ok("list_agents", {}, `task_id="${uuid("c")}" running`),
      waits(uuid("c")),
    ]),
    bad("a part that fits two", [spawned(uuid("a")), spawned(uuid("b")), waits("aaaa-4bbb")]),
    fine("the id in capitals", [spawned(uuid("a")), waits(uuid("a").toUpperCase())]),
    fine("the id given as one text", [
      spawned(uuid("a")),
      ok("wait_for_agents", { task_ids: uuid("a") }, "done"),
    ]),
    fine("a shortened id with an ellipsis", [spawned(uuid("a")), waits("aaaaaaaa-…")]),
    fine("a report in JSON", [
      ok("spawn_agent", { goal: "x" }, '{"task_id": "t-17", "status": "running"}'),
      waits("t-17"),
    ]),
    fine("a spawn whose answer shows no id", [
      ok("spawn_agent", { goal: "x" }, "Started agent scout."),
      waits("scout"),
    ]),
    fine("a list of none", [waits()]),
  ];
  it.each(cases)("$name: $label", (one) =>
    expect(findings(orchId, one).length > 0).toBe(one.label === "violation"),
  );
});

describe("R-SPAWN-PROMPT, further", () => {
  const cases: Case[] = [
    bad("four words", [spawn(role, "Check the licences now")]),
    bad("one word five times", [
      spawn("test test test test test", "Read package.json and list the licences that are not MIT."),
    ]),
    fine("Japanese without spaces", [
      spawn(
        "あなたはライセンスを確認する専門家です。",
        "package.jsonを読んでMIT以外のライセンスを一覧にしてください。",
      ),
    ]),
    fine("German", [
      spawn(
        "Du prüfst Lizenzen von Abhängigkeiten.",
        "Lies package.json und nenne jede Lizenz, die nicht MIT ist.",
      ),
    ]),
    fine("a pointer to a file", [spawn(role, "Follow the instructions in docs/audit.md and report back")]),
    fine("words such as task and goal in a real prompt", [
      spawn(role, "Your task: list every dependency without a licence and say who uses it."),
    ]),
    fine("a template is what is worked on", [
      spawn(
        "You review Handlebars templates for missing escapes.",
        "List each {{{raw}}} block under views/ and say where its value comes from.",
      ),
    ]),
    fine("a goal that the prompt goes beyond", [
      spawn(
        role,
        "Check the licences of all dependencies: read package-lock.json, name each GPL package with its version.",
      ),
    ]),
    fine("another tool", [ok("ask_user", { question: "ok?" }, "yes")]),
  ];
  it.each(cases)("$name: $label", (one) =>
    expect(findings(spawnPrompt, one).length > 0).toBe(one.label === "violation"),
  );
});
