import fc from "fast-check";
import * as Type from "typebox";
import { Compile } from "typebox/schema";
import { describe, expect, it } from "vitest";
import { holdsAsync } from "../../../../test/support/property.js";
import { sampleEpisode, truthCanary, windowIds } from "../../../../test/support/search-episode.js";
import { anyEpisode, playEpisode, sampleManifest, script } from "../../../../test/support/played-episodes.js";
import { faultsOf, inspectSchemas } from "../../../../test/support/inspect-schema.js";
import { inspectText } from "./inspect.js";
import type { ExportedEpisode } from "./types.js";

const run = { manifest: sampleManifest({ policy_params: { model: "openai/gpt-5.3-codex" } }) };

async function logOf(episodes: readonly ExportedEpisode[]): Promise<string> {
  const verdicts = episodes.flatMap(({ verdict }) => verdict ?? []);
  const tally = {
    episodeIds: episodes.map(({ episode }) => episode.start.episode_id),
    evaluated: verdicts.length,
    right: verdicts.filter(({ answer, truth }) => answer === truth).length,
  };
  const pieces: string[] = [];
  for await (const piece of inspectText(run, tally, episodes)) pieces.push(piece);
  return pieces.join("");
}

const small = (id: string) =>
  playEpisode(
    sampleEpisode({ id }),
    script([
      ["read_persistence", { anchor_market: "BTC", window_id: windowIds[1] }],
      ["keep_artifact", { artifact_id: "nobody" }],
      [
        "finalize",
        {
          decision_class: "finalize_signal",
          open_risks: [],
          retained_artifact_ids: [],
          stop_reason: "evidence_sufficient",
        },
      ],
    ]),
  );

// What Inspect requires of a log, a sample, a message and a tool event; it allows more.
const text = Type.String();
const instant = Type.String({ pattern: "^1970-01-01T00:00:00\\.[0-9]{3}\\+00:00$" });
const anything = Type.Record(text, Type.Unknown());
const error = Type.Object({ message: text, type: Type.Literal("unknown") });
const message = Type.Union([
  Type.Object({ content: text, role: Type.Literal("user") }),
  Type.Object({
    content: text,
    role: Type.Literal("assistant"),
    tool_calls: Type.Array(
      Type.Object({ arguments: anything, function: text, id: text, type: Type.Literal("function") }),
    ),
  }),
  Type.Object({
    content: text,
    error: Type.Optional(error),
    function: text,
    role: Type.Literal("tool"),
    tool_call_id: text,
  }),
]);
const log = Compile(
  Type.Object({
    eval: Type.Object({
      config: anything,
      created: instant,
      dataset: Type.Object({ name: text, sample_ids: Type.Array(text), samples: Type.Integer() }),
      model: text,
      run_id: text,
      task: text,
    }),
    plan: Type.Object({ steps: Type.Array(Type.Object({ params: anything, solver: text })) }),
    results: Type.Object({
      completed_samples: Type.Integer(),
      scores: Type.Array(anything),
      total_samples: Type.Integer(),
    }),
    samples: Type.Array(
      Type.Object({
        epoch: Type.Literal(1),
        events: Type.Array(
          Type.Object({
            arguments: anything,
            error: Type.Optional(error),
            event: Type.Literal("tool"),
            function: text,
            id: text,
            result: text,
            timestamp: instant,
            working_start: Type.Number(),
          }),
        ),
        id: text,
        input: text,
        messages: Type.Array(message),
        metadata: anything,
        output: Type.Object({ choices: Type.Array(Type.Unknown(), { minItems: 1 }), model: text }),
        scores: Type.Optional(
          Type.Record(text, Type.Object({ answer: text, value: Type.Enum(["C", "I", "N"]) })),
        ),
        target: text,
      }),
    ),
    stats: Type.Object({ completed_at: text, started_at: text }),
    status: Type.Literal("success"),
    version: Type.Literal(2),
  }),
);

const published = inspectSchemas();

describe("a run as an EvalLog", () => {
  it("has the members in the order that readers rely on, samples last", async () => {
    const written = JSON.parse(await logOf([{ episode: small("ep-1") }])) as object;
    expect(Object.keys(written)).toEqual([
      "version",
      "status",
      "eval",
      "plan",
      "results",
      "stats",
      "invalidated",
      "tags",
      "metadata",
      "samples",
    ]);
  });

  it("says right, wrong and abstained as C, I and N, and the accuracy in its head", async () => {
    const answer = "finalize_signal" as const;
    const exported: ExportedEpisode[] = [
      { episode: small("ep-1"), verdict: { answer, truth: answer } },
      { episode: small("ep-2"), verdict: { answer, truth: "abstain" } },
      { episode: small("ep-3"), verdict: { answer: "abstain", truth: answer } },
      { episode: small("ep-4"), verdict: { answer: "abstain", truth: "abstain" } },
    ];
    const { results, samples } = JSON.parse(await logOf(exported)) as {
      results: { scores: { metrics: { accuracy: { value: number } } }[] };
      samples: { target: string; scores: { decision: { value: string } } }[];
    };
    expect(results.scores[0]?.metrics.accuracy.value).toBe(0.5);
    expect(samples.map(({ target, scores }) => [target, scores.decision.value])).toEqual([
      ["finalize_signal", "C"],
      ["abstain", "I"],
      ["finalize_signal", "N"],
      ["abstain", "C"],
    ]);
  });

  it("reads like a conversation, with a refusal as a failed call", async () => {
    const { samples } = JSON.parse(await logOf([{ episode: small("ep-1") }])) as {
      samples: {
        messages: { role: string; content: string; error?: { message: string } }[];
        target: string;
      }[];
    };
    expect(samples[0]?.target).toBe("");
    expect(
      samples[0]?.messages.map(({ role, content, error: failed }) => [role, failed?.message ?? content]),
    ).toEqual([
      ["user", "Does the funding stress on BTC persist?"],
      ["assistant", ""],
      ["tool", '{"earlier":4,"persisted":3}'],
      ["assistant", ""],
      ["tool", "artifact_unknown: nobody was not read in this episode"],
      ["assistant", ""],
      ["tool", '{"working_set":[]}'],
    ]);
  });

  it("fits what Inspect requires, for any episodes, and shows nothing of the truth that was not handed in", async () => {
    let seen = 0;
    await holdsAsync(
      fc.asyncProperty(fc.array(anyEpisode, { maxLength: 3 }), async (episodes) => {
        const written = await logOf(episodes.map((episode) => ({ episode })));
        expect(log.Check(JSON.parse(written))).toBe(true);
        if (published !== undefined) expect(faultsOf(published, "EvalLog", JSON.parse(written))).toEqual([]);
        expect(written).not.toContain(truthCanary);
        expect(await logOf(episodes.map((episode) => ({ episode })))).toBe(written);
        seen += episodes.length;
      }),
      80,
    );
    console.log(`proof: Inspect: ${seen} random episodes fit what it requires of a sample`);
  });

  if (published !== undefined)
    it("has every member that the published schema requires, and a member less is noticed", async () => {
      const answer = "finalize_signal" as const;
      const exported = [{ episode: small("ep-1"), verdict: { answer, truth: answer } }];
      const written = JSON.parse(await logOf(exported)) as Record<string, unknown>;
      expect(faultsOf(published, "EvalLog", written)).toEqual([]);
      for (const member of ["invalidated", "tags", "stats", "plan"]) {
        const { [member]: _left, ...rest } = written;
        expect(faultsOf(published, "EvalLog", rest)).toEqual([`.${member} is missing`]);
      }
      const [sample] = written["samples"] as [{ output: object }];
      expect(
        faultsOf(published, "EvalLog", {
          ...written,
          samples: [{ ...sample, output: { model: "m", choices: [] } }],
        }),
      ).toEqual([".samples is none of what it may be"]);
    });
});
