/** An evaluation as a person sees it: the picture measured with a ruler, and the table read line by line. */
import { isRefusal } from "@bridle/record";
import { describe, expect, it } from "vitest";
import { type Answered, playAnswer, truthOf } from "../../../../test/support/answered-episodes.js";
import { low, signal } from "../../../../test/support/judgements.js";
import { sampleManifest, samplePackId } from "../../../../test/support/played-episodes.js";
import { evaluate, type EvaluateOptions } from "./evaluate.js";
import { evaluationPlot } from "./plot.js";
import { decimal, mark, scale, ticks } from "./svg.js";
import { evaluationTable } from "./table.js";
import type { Evaluation } from "./types.js";

const first = 487_000;
/** Sixty days and twelve markets; sure of a signal two times of three, and right about it but for every seventh. */
const answers: readonly Answered[] = Array.from({ length: 60 }, (_, i) => {
  const truth = i % 3 === 0 ? signal : low;
  const answer = i % 7 === 0 ? (truth === signal ? low : signal) : truth;
  const confidence = 0.99 - (i % 40) / 100;
  return {
    ...{ id: `ep-${String(i).padStart(2, "0")}`, market: `M${i % 12}`, hour: first + 24 * i, truth, answer },
    ...{ leaning: { confidence, leaning: answer }, keeps: i % 2 === 0 ? (["evidence"] as const) : [] },
  };
});

const run = (
  label: string,
  given: readonly Answered[],
  more: Partial<EvaluateOptions["runs"][number]> = {},
) => ({
  name: `runs/${label}`,
  manifest: sampleManifest({ episode_count: given.length, policy_id: label }),
  episodes: given.map((one) => playAnswer(one)),
  ...more,
});
const cautious = answers.map((each, i) => ({ ...each, answer: i < 30 ? ("abstain" as const) : each.answer }));

async function evaluated(options: Partial<EvaluateOptions> = {}): Promise<Evaluation> {
  const found = await evaluate({
    packId: samplePackId,
    truths: answers.map(truthOf),
    runs: [run("mine", answers), run("cautious", cautious)],
    ...options,
  });
  if (isRefusal(found)) throw new Error(found.message);
  return found;
}

// --- The picture -----------------------------------------------------------------------------------

interface Mark {
  readonly name: string;
  readonly at: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Marks without the titles inside them. */
function marksIn(svg: string): Mark[] {
  return [...svg.matchAll(/<(line|circle|text|polyline|rect)((?: [\w-]+="[^"]*")*)(?:\/>|>([^<]*))/g)].map(
    ([, name = "", attributes = "", text = ""]) => ({
      name,
      at: Object.fromEntries(
        [...attributes.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
      ),
      text,
    }),
  );
}

const numbers = (of: Mark, ...names: readonly string[]) => names.map((name) => Number(of.at[name]));

describe("the picture", () => {
  it("has each policy's accuracy where the ticks say, with its interval and its number", async () => {
    const evaluation = await evaluated();
    const marks = marksIn(evaluationPlot(evaluation));
    const words = marks.filter(({ name }) => name === "text");
    const tick = (text: string) => Number(words.find((each) => each.text === text)?.at["x"]);
    const [x0, x100] = [tick("0 %"), tick("100 %")];
    const xOf = (share: number) => x0 + share * (x100 - x0);
    const drawn = evaluation.policies.filter(({ label }) => label !== "always-abstain");
    const dots = marks.filter(({ name, at }) => name === "circle" && Number(at["cx"]) < 600);
    expect(dots).toHaveLength(drawn.length);
    for (const [i, { accuracy, label, kind }] of drawn.entries()) {
      const dot = dots[i] as Mark;
      const [cx = 0, cy = 0] = numbers(dot, "cx", "cy");
      expect(Math.abs(cx - xOf(accuracy.value as number))).toBeLessThan(0.2);
      const row = words.filter(({ at }) => Math.abs(Number(at["y"]) - cy - 4.5) < 0.2);
      expect(row.map(({ text }) => text)).toEqual([
        label,
        `${((accuracy.value as number) * 100).toFixed(1)} %`,
      ]);
      expect(dot.at["r"]).toBe("5");
      // A baseline is hollow and grey, a run has a colour.
      expect(dot.at["fill"] === "#ffffff").toBe(kind === "baseline");
      expect(row.map(({ at }) => at["fill"])).toEqual(
        kind === "baseline" ? ["#666666", "#666666"] : ["#222222", "#222222"],
      );
      expect(row.map(({ at }) => at["text-anchor"])).toEqual(["end", "end"]);
      const { low: from = 0, high: to = 0 } = accuracy.interval ?? {};
      // A line from end to end, and a small one across each end.
      const bars = marks.filter(
        ({ at }) =>
          at["stroke-width"] === "2" && Math.abs((Number(at["y1"]) + Number(at["y2"])) / 2 - cy) < 0.2,
      );
      const [a, b] = [xOf(from), xOf(to)];
      const across = [...[a, b, cy, cy], ...[a, a, cy - 4, cy + 4], ...[b, b, cy - 4, cy + 4]];
      const drawnAt = bars.flatMap((bar) => numbers(bar, "x1", "x2", "y1", "y2"));
      expect(drawnAt).toHaveLength(across.length);
      for (const [k, value] of drawnAt.entries())
        expect(Math.abs(value - (across[k] as number))).toBeLessThan(0.3);
    }
    // Rows follow each other at equal distances, from the first on.
    const ys = dots.map((dot) => Number(dot.at["cy"]));
    const gaps = ys.slice(1).map((y, i) => y - (ys[i] as number));
    expect(Math.max(...gaps) - Math.min(...gaps)).toBeLessThan(0.2);
    expect(gaps[0]).toBeGreaterThan(29);
    expect(gaps[0]).toBeLessThan(46.2);
    expect(Math.abs((ys[0] as number) - 92 - (gaps[0] as number) / 2)).toBeLessThan(0.2);
    // The best baseline is a dashed line through its dot.
    const best = marks.find(({ at }) => at["stroke-dasharray"] !== undefined);
    const bestAccuracy = Math.max(
      ...drawn.filter(({ kind }) => kind === "baseline").map(({ accuracy }) => accuracy.value as number),
    );
    expect(Math.abs(Number(best?.at["x1"]) - xOf(bestAccuracy))).toBeLessThan(0.2);
    expect(best?.at["x1"]).toBe(best?.at["x2"]);
  });

  it("has the risk of the surest decisions, from ten decisions on, as a line that ends in a dot of the same colour", async () => {
    const evaluation = await evaluated();
    const marks = marksIn(evaluationPlot(evaluation));
    const lines = marks.filter(({ name }) => name === "polyline");
    const dots = marks.filter(({ name, at }) => name === "circle" && Number(at["cx"]) > 600);
    const [left, right] = [664, 952];
    const axis = marks.filter(
      ({ name, at }) => name === "text" && at["text-anchor"] === "end" && at["x"] === "656",
    );
    const most = Number((axis.at(-1) as Mark).text.replace(" %", "")) / 100;
    const [bottom = 0, top = 0] = [axis[0], axis.at(-1)].map((each) => Number((each as Mark).at["y"]) - 4);
    expect((axis[0] as Mark).text).toBe("0 %");
    const shares = marks.filter(
      ({ name, at, text }) => name === "text" && Number(at["x"]) >= left && text.endsWith(" %"),
    );
    expect(shares.map(({ text, at }) => [text, at["x"], at["y"]])).toEqual(
      [0, 20, 40, 60, 80, 100].map((share) => [
        `${share} %`,
        decimal(left + (288 * share) / 100),
        String(bottom + 18),
      ]),
    );
    const small = marks.filter(
      ({ name, at }) => name === "line" && Number(at["y2"]) - Number(at["y1"]) === 4,
    );
    expect(small.map(({ at }) => at["x1"])).toEqual(shares.map(({ at }) => at["x"]));
    for (const [i, label] of ["mine", "cautious"].entries()) {
      const { risk_curve = [], episode_count = 0 } =
        evaluation.policies.find((each) => each.label === label) ?? {};
      const shown = risk_curve.filter(({ coverage }) => coverage * episode_count >= 10);
      const at = (lines[i]?.at["points"] ?? "").split(" ").map((pair) => pair.split(",").map(Number));
      expect(at).toHaveLength(shown.length);
      for (const [k, { coverage, risk }] of shown.entries()) {
        const [x = 0, y = 0] = at[k] ?? [];
        expect(Math.abs(x - (left + coverage * (right - left)))).toBeLessThan(0.1);
        expect(Math.abs(y - (bottom - (risk / most) * (bottom - top)))).toBeLessThan(0.2);
      }
      const end = dots[i] as Mark;
      expect([end.at["cx"], end.at["cy"]].map(Number)).toEqual(at.at(-1));
      expect([lines[i]?.at["stroke"], lines[i]?.at["fill"]]).toEqual([end.at["fill"], "none"]);
    }
    expect(new Set(lines.map(({ at }) => at["stroke"])).size).toBe(2);
    // A baseline that decides everything is a dot at the end, without a line.
    expect(dots).toHaveLength(4);
    expect(dots.slice(2).map(({ at }) => [at["cx"], at["stroke"]])).toEqual([
      ["952", "#8a8a8a"],
      ["952", "#8a8a8a"],
    ]);
  });

  it("grows with its rows, keeps everything inside, and cuts long names", async () => {
    const runs = Array.from({ length: 9 }, (_, i) =>
      run(`policy-${i}-${"x".repeat(15 + i)}`, answers.slice(0, 12)),
    );
    const evaluation = await evaluated({ runs });
    const svg = evaluationPlot(evaluation);
    const [, height = 0] = /viewBox="0 0 980 (\d+)"/.exec(svg)?.map(Number) ?? [];
    // Eleven rows of thirty, the head and the foot; with fewer rows the picture has its least height.
    expect(height).toBe(92 + 11 * 30 + 62);
    expect(evaluationPlot(await evaluated())).toContain(`viewBox="0 0 980 ${92 + 230 + 62}"`);
    for (const { at } of marksIn(svg)) {
      for (const name of ["x", "x1", "x2", "cx"])
        if (name in at) expect(Number(at[name])).toBeLessThanOrEqual(980);
      for (const name of ["y", "y1", "y2", "cy"])
        if (name in at) expect(Number(at[name])).toBeLessThanOrEqual(height);
    }
    const names = marksIn(svg).map(({ text }) => text);
    // Nine characters and fifteen to twenty-three more: up to thirty they stand as they are.
    expect(names).toContain(`policy-6-${"x".repeat(21)}`);
    expect(names).toContain(`policy-7-${"x".repeat(20)}…`);
    expect(names.find((name) => name.startsWith("policy-8"))).toHaveLength(30);
    // Seven runs need a seventh colour: the first again.
    const dots = marksIn(svg).filter(({ name, at }) => name === "circle" && Number(at["cx"]) < 600);
    expect(dots[6]?.at["fill"]).toBe(dots[0]?.at["fill"]);
    expect(new Set(dots.slice(0, 6).map(({ at }) => at["fill"])).size).toBe(6);
  });

  it("never shows fewer than thirty points of accuracy, so that a small difference looks small", async () => {
    const axis = async (wrong: number) => {
      const given = answers.map((each, i) => ({
        ...each,
        answer: i < wrong ? (each.truth === low ? signal : low) : each.truth,
      }));
      const svg = evaluationPlot(await evaluated({ runs: [run("mine", given)], baselines: false }));
      return marksIn(svg)
        .filter(
          ({ name, at, text }) =>
            name === "text" && text.endsWith(" %") && Number(at["x"]) < 600 && at["text-anchor"] === "middle",
        )
        .map(({ text }) => text);
    };
    expect(await axis(0)).toEqual(["70 %", "75 %", "80 %", "85 %", "90 %", "95 %", "100 %"]);
    expect(await axis(60)).toEqual(["0 %", "5 %", "10 %", "15 %", "20 %", "25 %", "30 %"]);
  });
});

describe("marks", () => {
  it("have numbers of one decimal, and nothing that would break out of them", () => {
    expect([1, 1.04, 1.05, -0.25, 10].map((value) => decimal(value))).toEqual([
      "1",
      "1",
      "1.1",
      "-0.3",
      "10",
    ]);
    expect(mark("a", { b: 1.25, c: 'x"<&>' })).toBe('<a b="1.3" c="x&quot;&lt;&amp;&gt;"/>');
    expect(mark("a", {}, "text")).toBe("<a>text</a>");
    expect(mark("a", { b: "\u0000\u0008\u000b\u001f" })).toBe('<a b="\ufffd\ufffd\ufffd\ufffd"/>');
    expect(mark("a", { b: "\t\n" })).toBe('<a b="\t\n"/>');
  });

  it("are scaled from values to pixels, also upside down", () => {
    expect([0.2, 0.3, 0.6].map(scale([0.2, 0.6], [100, 200]))).toEqual([100, 125, 200]);
    expect(scale([0, 1], [300, 100])(0.25)).toBe(250);
  });

  it("have at most seven ticks, at round hundredths inside the range", () => {
    expect(ticks([0, 0.3])).toEqual([0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3]);
    expect(ticks([0, 0.31])).toEqual([0, 0.1, 0.2, 0.3]);
    expect(ticks([0.3, 0.9])).toEqual([0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]);
    expect(ticks([0.1, 1])).toEqual([0.2, 0.4, 0.6, 0.8, 1]);
    expect(ticks([0, 1])).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
    expect(ticks([0, 4])).toEqual([0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4]);
  });
});

// --- The table -------------------------------------------------------------------------------------

const painted = {
  strong: (text: string) => `*${text}*`,
  dim: (text: string) => text,
  good: (text: string) => `+${text}+`,
  bad: (text: string) => `-${text}-`,
  note: (text: string) => `!${text}!`,
};

const lines = async (options: Partial<EvaluateOptions> = {}) =>
  evaluationTable(await evaluated(options), painted);
const cellsOf = (line: string | undefined) => (line ?? "").trim().split(/ {2,}/);

describe("the table", () => {
  it("has a column for costs, for what was kept and for repeats only where there is something to say", async () => {
    const plain = cellsOf((await lines())[0]);
    expect(plain).toEqual([
      ...["accuracy", "decided right", "coverage", "AUC", "log loss", "Brier skill", "steps", "cost"],
    ]);
    const costs = {
      finalize_signal: { finalize_signal: 0, finalize_low_signal: 5, abstain: 1 },
      finalize_low_signal: { finalize_signal: 2, finalize_low_signal: 0, abstain: 1 },
    };
    const truths = answers
      .map(truthOf)
      .map((each, i) =>
        i === 0
          ? { ...each, ground_truth_reference: { ...each.ground_truth_reference, evidence: [] } }
          : each,
      );
    const bill = { cost_usd: 1.5, jobs: 1, sessions: [], wall_ms: 10 };
    const again = run("mine", answers, { sidecar: bill });
    const rich = await lines({ costs, truths, runs: [again, { ...again, name: "again" }] });
    expect(cellsOf(rich[0])).toEqual([
      ...["accuracy", "decided right", "coverage", "AUC", "log loss", "Brier skill", "cost of answers"],
      ...["steps", "keep prec/recall", "pass^2", "cost"],
    ]);
    const mine = cellsOf(rich[1]);
    expect(mine[0]).toBe("*mine*");
    expect(mine.at(-1)).toBe("$3.00");
    // Nine of sixty are wrong: three signals missed and six seen where none was.
    expect(mine).toContain(((3 * 5 + 6 * 2) / 60).toFixed(3));
    // Of those decided, and of two runs of one episode that are both right.
    expect(mine.filter((cell) => cell === "85.0 %")).toHaveLength(2);
    // Half of them kept their evidence, but for the first, of which there is none now.
    expect(mine).toContain(`${(29 / 30).toFixed(2)} / ${(29 / 59).toFixed(2)}`);
    expect(cellsOf(rich[2])[0]).toBe("always-signal");
    expect(cellsOf(rich[2]).at(-1)).toBe("–");
  });

  it("says what was judged, by how much, and with which intervals", async () => {
    const all = (await lines()).join("\n");
    expect(all).toContain("60 episodes of 12 markets and 9 weeks");
    expect(all).toContain("truth: 20 signal, 40 low; 0 without history");
    expect(all).toContain("brackets: 95 % by market and week at once");
    expect(all).toMatch(/!\s+part all: all parts.*!/);
    expect(all).toMatch(/\*mine\* +85\.0 % \[7\d\.\d 9\d\.\d\]/);
    const partOf = ({ hour = 0 }: { readonly hour: number | undefined }) =>
      hour < first + 24 * 20 ? ("train" as const) : ("test" as const);
    expect((await lines({ part: "train", partOf })).join("\n")).toMatch(
      /!\s+part train: what is learnt from.*!/,
    );
    expect((await lines({ part: "test", partOf })).join("\n")).toMatch(/\n\s+part test\n/);
  });

  it("says of each comparison by how much and whether it can be told, painted by the verdict", async () => {
    const given = await lines({ runs: [run("mine", answers), run("cautious", cautious)] });
    const text = given.join("\n");
    expect(text).toMatch(/mine against always-signal +\+\+51\.7 points \[\+\d\d\.\d \+\d\d\.\d\] better\+/);
    expect(text).toMatch(/cautious against mine +-−41\.7 points \[−\d+\.\d −\d+\.\d\] worse-/);
    expect(text).toMatch(/cautious against always-low +−\d\d\.\d points \[.*\] cannot tell/);
    expect(text).not.toContain("against always-abstain");
    // Both state the same probabilities, so nothing differs, and nothing has no sign.
    expect(text).toMatch(/cautious against mine .* 0\.000 AUC \[0\.000 0\.000\] cannot tell/);
    expect(await lines({ baselines: false, runs: [run("mine", answers)] })).toHaveLength(4);
  });

  it("says how many episodes did not end, or were left out because they were learnt from, in the right number", async () => {
    const missing = (count: number) =>
      run("mine", answers, { manifest: sampleManifest({ episode_count: 60 + count, policy_id: "mine" }) });
    expect((await lines({ runs: [missing(1)] })).join("\n")).toContain(
      "mine: 1 episode has not ended and is in no number",
    );
    expect((await lines({ runs: [missing(2)] })).join("\n")).toContain(
      "mine: 2 episodes have not ended and are in no number",
    );
    const partOf = () => "test" as const;
    const learnt = await lines({
      part: "test",
      partOf,
      learntUntil: () => first + 24 * 3,
      runs: [run("mine", answers)],
    });
    expect(learnt.join("\n")).toContain("mine: 3 episodes left out");
    expect((await lines()).join("\n")).not.toMatch(/not ended|left out/);
  });

  it("shows no share below nothing or above all, however wide its interval is", async () => {
    const evaluation = await evaluated();
    const [mine, ...others] = evaluation.policies;
    const wide = { ...mine!, accuracy: { ...mine!.accuracy, interval: { low: -0.02, high: 1.085 } } };
    expect(evaluationTable({ ...evaluation, policies: [wide, ...others] }, painted).join("\n")).toContain(
      "% [0.0 100.0]",
    );
  });
});
