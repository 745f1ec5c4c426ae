import fc from "fast-check";
import * as Type from "typebox";
import { Compile } from "typebox/schema";
import { describe, expect, it } from "vitest";
import { holds } from "../../../../test/support/property.js";
import { sampleEpisode, truthCanary, windowIds } from "../../../../test/support/search-episode.js";
import { anyEpisode, playEpisode, sampleManifest, script } from "../../../../test/support/played-episodes.js";
import { type OtlpSpan, toOtlp } from "./otel.js";

const run = { manifest: sampleManifest() };
const spansOf = (request: ReturnType<typeof toOtlp>) =>
  request.resourceSpans[0]?.scopeSpans[0]?.spans as readonly OtlpSpan[];
const valueOf = (span: OtlpSpan, key: string) => span.attributes.find((one) => one.key === key)?.value;

const small = playEpisode(
  sampleEpisode(),
  script([
    [
      "branch_subquery",
      { arguments: { anchor_market: "BTC", window_ids: [...windowIds] }, subquery_type: "persistence_check" },
    ],
    ["keep_artifact", { artifact_id: "nobody" }],
    ["keep_artifact", { artifact_id: "$0" }],
    ["decision_update", { stop_candidate: { confidence: 1, leaning: "finalize_signal" } }],
    [
      "finalize",
      {
        decision_class: "finalize_signal",
        open_risks: ["thin book"],
        retained_artifact_ids: ["$0"],
        stop_reason: "evidence_sufficient",
      },
    ],
  ]),
);

describe("an episode as a trace", () => {
  it("is one span around all, a branch around its reads, and refusals marked as errors", () => {
    const spans = spansOf(
      toOtlp(run, { episode: small, verdict: { answer: "finalize_signal", truth: "abstain" } }),
    );
    const nameOf = new Map(spans.map(({ spanId, name }) => [spanId, name]));
    const told = spans.map((span) => [
      span.name,
      (valueOf(span, "openinference.span.kind") as { stringValue: string }).stringValue,
      span.parentSpanId === undefined ? undefined : nameOf.get(span.parentSpanId),
      Number(span.startTimeUnixNano) / 1_000_000,
      Number(span.endTimeUnixNano) / 1_000_000,
      span.status?.code,
    ]);
    const root = "invoke_agent hlq-harness";
    const branch = "execute_tool branch_subquery";
    expect(told).toEqual([
      [root, "AGENT", undefined, 0.6, 7, undefined],
      [branch, "CHAIN", root, 1, 3.5, undefined],
      ["execute_tool read_persistence", "RETRIEVER", branch, 2, 2.5, undefined],
      ["execute_tool read_persistence", "RETRIEVER", branch, 3, 3.5, undefined],
      ["execute_tool keep_artifact", "TOOL", root, 3.61, 3.62, 2],
      ["execute_tool keep_artifact", "TOOL", root, 4, 4.5, undefined],
      ["execute_tool decision_update", "TOOL", root, 5, 5.5, undefined],
      ["execute_tool finalize", "TOOL", root, 6, 6.5, undefined],
      ["evaluate accuracy", "EVALUATOR", root, 6.6, 7, undefined],
    ]);
  });

  it("carries the names of the GenAI conventions and of OpenInference, and integers as texts", () => {
    const request = toOtlp(run, { episode: small });
    const spans = spansOf(request);
    const [root, , read] = spans as [OtlpSpan, OtlpSpan, OtlpSpan];
    expect(request.resourceSpans[0]?.schemaUrl).toBe("https://opentelemetry.io/schemas/1.41.0");
    expect(valueOf(root, "gen_ai.operation.name")).toEqual({ stringValue: "invoke_agent" });
    expect(valueOf(root, "hlq.step_count")).toEqual({ intValue: "6" });
    expect(valueOf(root, "hlq.open_risks")).toEqual({
      arrayValue: { values: [{ stringValue: "thin book" }] },
    });
    expect(valueOf(read, "gen_ai.tool.call.id")).toEqual({ stringValue: "s-0002" });
    expect(valueOf(read, "retrieval.documents.0.document.content")).toEqual({
      stringValue: '{"empty":true}',
    });
    expect(valueOf(spans[6] as OtlpSpan, "hlq.stop_candidate.confidence")).toEqual({ doubleValue: 1 });
    expect(spans.some(({ name }) => name.startsWith("evaluate"))).toBe(false);
  });
});

const closed = { additionalProperties: false };
const hex = (length: number) => Type.String({ pattern: `^[0-9a-f]{${length}}$` });
const nano = Type.String({ pattern: "^[1-9][0-9]*$" });
const plain = [
  Type.Object({ stringValue: Type.String() }, closed),
  Type.Object({ boolValue: Type.Boolean() }, closed),
  Type.Object({ intValue: Type.String({ pattern: "^-?[0-9]+$" }) }, closed),
  Type.Object({ doubleValue: Type.Number() }, closed),
];
const list = Type.Object(
  { arrayValue: Type.Object({ values: Type.Array(Type.Union(plain)) }, closed) },
  closed,
);
const attributes = Type.Array(
  Type.Object({ key: Type.String(), value: Type.Union([...plain, list]) }, closed),
);
const request = Compile(
  Type.Object(
    {
      resourceSpans: Type.Array(
        Type.Object(
          {
            resource: Type.Object({ attributes }, closed),
            schemaUrl: Type.String(),
            scopeSpans: Type.Array(
              Type.Object(
                {
                  schemaUrl: Type.String(),
                  scope: Type.Object({ name: Type.String(), version: Type.String() }, closed),
                  spans: Type.Array(
                    Type.Object(
                      {
                        attributes,
                        endTimeUnixNano: nano,
                        kind: Type.Integer({ minimum: 0, maximum: 5 }),
                        name: Type.String(),
                        parentSpanId: Type.Optional(hex(16)),
                        spanId: hex(16),
                        startTimeUnixNano: nano,
                        status: Type.Optional(
                          Type.Object(
                            { code: Type.Integer({ minimum: 0, maximum: 2 }), message: Type.String() },
                            closed,
                          ),
                        ),
                        traceId: hex(32),
                      },
                      closed,
                    ),
                  ),
                },
                closed,
              ),
            ),
          },
          closed,
        ),
      ),
    },
    closed,
  ),
);

describe("any episode", () => {
  it("is valid OTLP: one trace, ids of their own, parents that are there and last longer, each key once", () => {
    let seen = 0;
    holds(
      fc.property(anyEpisode, (episode) => {
        const exported = toOtlp(run, { episode });
        expect(request.Check(exported)).toBe(true);
        const spans = spansOf(exported);
        const byId = new Map(spans.map((span) => [span.spanId, span]));
        expect(byId.size).toBe(spans.length);
        expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
        for (const { parentSpanId, startTimeUnixNano, endTimeUnixNano, attributes: own } of spans) {
          expect(new Set(own.map(({ key }) => key)).size).toBe(own.length);
          expect(Number(endTimeUnixNano)).toBeGreaterThan(Number(startTimeUnixNano));
          if (parentSpanId === undefined) continue;
          const parent = byId.get(parentSpanId) as OtlpSpan;
          expect(Number(parent.startTimeUnixNano)).toBeLessThanOrEqual(Number(startTimeUnixNano));
          expect(Number(parent.endTimeUnixNano)).toBeGreaterThanOrEqual(Number(endTimeUnixNano));
        }
        const text = JSON.stringify(exported);
        expect(JSON.stringify(toOtlp(run, { episode }))).toBe(text);
        expect(text).not.toContain(truthCanary);
        seen += spans.length;
      }),
      150,
    );
    console.log(`proof: OpenTelemetry: ${seen} spans of random episodes are valid OTLP`);
  });
});
