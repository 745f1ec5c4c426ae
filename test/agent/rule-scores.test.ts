import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import {
  type Labelled,
  scoreJson,
  scoreRule,
  scoreRules,
  scoreTable,
  shortfallsOf,
} from "../support/rule-scores/score.js";
import { ruleOf, rules } from "../../packages/rules/src/table.js";
import { findsViolation, parseTranscripts, type Transcript } from "../support/rule-scores/transcript.js";
import type { Detector, Rule } from "../../packages/rules/src/types.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = fileURLToPath(new URL("../../packages/rules/transcripts", import.meta.url));

function stored(part: string, id: string): Transcript[] {
  const file = `${folder}/${part}/${id}.jsonl`;
  return existsSync(file) ? parseTranscripts(readFileSync(file, "utf8"), `${part}/${id}`) : [];
}

const labelled = new Map<string, Labelled>(
  rules.map(({ id }) => [id, { tuning: stored("tuning", id), heldOut: stored("held-out", id) }]),
);
const scores = scoreRules(labelled);

it.each(scores.filter(({ held }) => held === "refused"))(
  "$id refuses with a precision of at least 0.95 on transcripts that it was not tuned on",
  (score) => {
    expect(score.hasDetector).toBe(true);
    expect(shortfallsOf(score)).toEqual([]);
  },
);

it("at least 17 rules have a detector, and at least 10 of those refuse", () => {
  const detected = scores.filter(({ hasDetector }) => hasDetector);
  const refusing = detected.filter(({ held }) => held === "refused");
  for (const { id, held, heldOut } of detected)
    console.log(`proof: ${id} ${held}, held-out precision ${heldOut.precision}, recall ${heldOut.recall}`);
  expect(detected.length).toBeGreaterThanOrEqual(17);
  expect(refusing.length).toBeGreaterThanOrEqual(10);
});

/** `paths` are what a commitment rules out; before, words around them could say otherwise. */
const accepted = ["R-COMMITMENT-CHECK/14"];

it("nothing is refused in a tuning transcript that keeps its rule", () => {
  const alarms = scores.filter(({ held }) => held === "refused").flatMap(({ falseAlarms }) => falseAlarms);
  expect(alarms).toEqual(accepted);
});

/** Held-out sets that were looked at became tuning, and a new one was written. */
const usedUp = new Set(["R-CITE-PATHS", "R-COMMITMENT-CHECK", "R-ONE-SHOT-RETRY", "R-SCOPE-CREEP"]);
/** Its detector was of no use on them; they wait for whoever tries again. */
const triedOnly = ["R-MULTI-PART-USER"];

it("every file of transcripts belongs to a rule that is more than said, or was tried to be", () => {
  const names = ["tuning", "held-out"].flatMap((part) => readdirSync(`${folder}/${part}`));
  expect(names.length).toBeGreaterThan(0);
  for (const id of names.map((name) => name.replace(/\.jsonl$/, ""))) {
    const held = triedOnly.includes(id) ? "counted" : ruleOf(id)?.held;
    expect(["refused", "counted"], id).toContain(held);
  }
});

it.each([...labelled].filter(([, { tuning }]) => tuning.length > 0))(
  "the transcripts of %s count through both parts, a third of them held out, both labels in each",
  (id, { tuning, heldOut }) => {
    const all = [...tuning, ...heldOut];
    const numbers = all.map((each) => each.id).toSorted();
    expect(numbers).toEqual(all.map((_, i) => `${id}/${String(i + 1).padStart(2, "0")}`));
    // A third; less where a held-out set was used up and went to the others.
    expect(heldOut.length).toBeGreaterThanOrEqual(8);
    expect(heldOut.length / all.length).toBeGreaterThanOrEqual(usedUp.has(id) ? 0.15 : 0.3);
    for (const part of [tuning, heldOut]) {
      expect(new Set(part.map(({ label }) => label))).toEqual(new Set(["violation", "pass"]));
    }
  },
);

// --- The scoring itself ----------------------------------------------------------------------------

/** Finds a violation in an answer that says so. */
const listener: Detector = {
  begin: () => ({ answered: (text) => (text.includes("alarm") ? { what: "w", remedy: "r" } : undefined) }),
};

function ruleWith(detector?: Detector, held: Rule["held"] = "refused"): Rule {
  const base: Rule = { id: "R-TEST", text: "", layer: "harness", held };
  return detector === undefined ? base : { ...base, detector };
}

let made = 0;
function transcript(label: "violation" | "pass", answer: string, looks = false): Transcript {
  made++;
  return { id: `R-TEST/${made}`, label, looks, ask: { text: "" }, events: [], answer };
}

const many = (count: number, make: () => Transcript) => Array.from({ length: count }, make);

it("precision and recall are those of the held-out part, and only wrong ones of tuning are named", () => {
  const missed = transcript("violation", "quiet");
  const heldOut = [
    ...many(3, () => transcript("violation", "alarm")),
    transcript("violation", "quiet"),
    transcript("pass", "alarm"),
    transcript("pass", "quiet", true),
  ];
  const score = scoreRule(ruleWith(listener), {
    tuning: [transcript("violation", "alarm"), missed],
    heldOut,
  });
  expect(score).toMatchObject({
    ...{ transcripts: 8, looks: 1, missed: [missed.id], falseAlarms: [] },
    ...{ tuning: { precision: 1, recall: 0.5 }, heldOut: { precision: 0.75, recall: 0.75 } },
  });
  const shown = scoreTable([score]);
  expect(shown).toContain(`missed in tuning: ${missed.id}`);
  for (const { id } of heldOut) expect(shown).not.toContain(`${id}\n`);
});

it("a detector may not refuse after too few transcripts, too few that look wrong, or false alarms", () => {
  const fine = (count: number): Labelled => ({
    tuning: many(count, () => transcript("pass", "quiet", true)),
    heldOut: many(10, () => transcript("violation", "alarm")),
  });
  const problems = (labels: Labelled, detector: Detector | undefined = listener) =>
    shortfallsOf(scoreRule(ruleWith(detector), labels));
  expect(problems(fine(10))).toEqual([]);
  expect(problems(fine(9))).toEqual(["R-TEST: number of transcripts is 19, at least 20 is needed"]);
  const plain = { ...fine(10), tuning: many(10, () => transcript("pass", "quiet")) };
  expect(problems(plain).join()).toContain("look like violations is 0, at least 8");
  const alarmed = { ...fine(10), heldOut: [...fine(10).heldOut, transcript("pass", "alarm")] };
  expect(problems(alarmed).join()).toContain("held-out precision is 0.9091");
  expect(problems({ ...fine(20), heldOut: [] }).join()).toContain("held-out precision is not measured");
  expect(shortfallsOf(scoreRule(ruleWith(listener, "counted"), alarmed))).toEqual([]);
});

it("a detector that never finds anything has no precision to be proud of", () => {
  const silent: Detector = { begin: () => ({}) };
  const { heldOut } = scoreRule(ruleWith(silent), {
    tuning: [],
    heldOut: [transcript("violation", "alarm")],
  });
  expect(heldOut).toEqual({ precision: 0, recall: 0 });
});

it("a replay tells a detector of everything in order and stops at the first finding", () => {
  const heard: string[] = [];
  const detector: Detector = {
    begin: ({ text }) => {
      heard.push(`begin ${text}`);
      return {
        proposed: ({ tool }) => void heard.push(`proposed ${tool}`),
        ran: (_call, { ok, bytes, ran }) => void heard.push(`ran ${ok} ${bytes} ${ran}`),
        said: (said) => (said === "stop" ? { what: "w", remedy: "r" } : void heard.push(`said ${said}`)),
        answered: (answer) => void heard.push(`answered ${answer}`),
      };
    },
  };
  const call = '{"round":1,"tool":"read_file","args":{},"ok":true,"output":"x","bytes":9,"ran":false}';
  const line = (say: string) =>
    `{"id":"R-TEST/01","label":"pass","why":"w","ask":{"text":"t"},"events":[${call},{"say":"${say}"}],"answer":"a"}`;
  const [one, two] = parseTranscripts(`${line("hm")}\n${line("stop")}\n`, "test") as [Transcript, Transcript];
  expect(findsViolation(detector, one)).toBe(false);
  const start = ["begin t", "proposed read_file", "ran true 9 false"];
  expect(heard).toEqual([...start, "said hm", "answered a"]);
  heard.length = 0;
  expect(findsViolation(detector, two)).toBe(true);
  expect(heard).toEqual(start);
});

it.each([
  ["{", "line 1"],
  ['{"id":"x"}', "id is not like"],
  ['{"id":"R-TEST/01","label":"maybe"}', "label"],
  ['{"id":"R-TEST/01","label":"violation","looks":true,"why":"w"}', "looks"],
  ['{"id":"R-TEST/01","label":"pass","why":" "}', "why"],
  ['{"id":"R-TEST/01","label":"pass","why":"w","events":[{"round":1,"tool":"t"}],"ask":{"text":""}}', "args"],
])("a line that is no transcript is named: %s", (line, what) => {
  expect(() => parseTranscripts(line, "a file")).toThrow(what);
});

it("npm run rules:score -- --json prints the thirty rules in their order, with nulls where nothing is measured", () => {
  const script = `${root}/scripts/rules-score.mjs`;
  const { stdout: printed, stderr } = spawnSync(process.execPath, [script, "--json"], { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(printed).toBe(scoreJson(scores));
  const { rules: rows } = JSON.parse(printed) as { rules: Record<string, unknown>[] };
  expect(rows.map((row) => row["id"])).toEqual(rules.slice(0, 30).map(({ id }) => id));
  for (const row of rows) {
    expect(Object.keys(row)).toEqual(["id", "held", "transcripts", "precision", "recall"]);
    if (row["held"] === "judged" || row["held"] === "said")
      expect([row["precision"], row["recall"]]).toEqual([null, null]);
  }
});
