/** `hlq health`: whether what answers follow from is whole, and whether the engine and the log can be used. */
import { columns, defineOperation } from "@bridle/operation";
import { openEngine } from "@bridle/market";
import { isAbsolute, join } from "node:path";
import * as Type from "typebox";
import { digestOfBridge } from "../answer/bridge-digest.js";
import { provenanceOf } from "../answer/provenance.js";
import { bridgeDigest } from "../bridge.generated.js";
import { readOneShotLog } from "../log/read.js";
import { fromBigQuery } from "../templates/rewrite.js";
import { templates } from "../templates/catalogue.js";
import { bigQueryTexts, exampleTexts } from "../more-texts.generated.js";
import { neighbours, synonyms, weights } from "../router.generated.js";
import { sqlTexts } from "../texts.generated.js";
import { ProvenanceSchema } from "./answer-schema.js";

export const healthOperation = defineOperation({
  names: { id: "op/hlq.health", action: "hlq.health", command: ["health"], tool: "hlq_health" },
  family: "hlq",
  effect: "read",
  surfaces: ["cli", "mcp"],
  summary: "Check the templates, the examples, the engine and the log of `hlq ask`.",
  examples: [{ command: "hlq health", says: "healthy, warning or degraded, with a line for each check" }],
  input: Type.Object({}, { additionalProperties: false }),
  output: Type.Object({
    action: Type.Literal("hlq.health"),
    health: Type.Union([Type.Literal("healthy"), Type.Literal("warning"), Type.Literal("degraded")]),
    checks: Type.Array(
      Type.Object({
        name: Type.String(),
        state: Type.Union([Type.Literal("ok"), Type.Literal("warning"), Type.Literal("failed")]),
        says: Type.String(),
      }),
    ),
    provenance: ProvenanceSchema,
  }),
  async run(_, call) {
    const checks: { name: string; state: "ok" | "warning" | "failed"; says: string }[] = [];
    const version = digestOfBridge({
      sql: sqlTexts,
      bigQuery: bigQueryTexts,
      examples: exampleTexts,
      learned: { synonyms, weights, neighbours },
    });
    const whole = version === bridgeDigest;
    checks.push({
      name: "bridge",
      state: whole ? "ok" : "failed",
      says: whole
        ? `${Object.keys(sqlTexts).length} SQL texts, ${exampleTexts.length} examples, ${bridgeDigest.slice(0, 16)}`
        : `the digest of templates, examples and names is ${version}, written down is ${bridgeDigest}`,
    });
    const missing = templates.filter(({ name }) => sqlTexts[name] === undefined);
    const turned = Object.keys(sqlTexts).filter(
      (name) => fromBigQuery(bigQueryTexts[name] ?? "") !== sqlTexts[name],
    );
    checks.push({
      name: "templates",
      state: missing.length + turned.length === 0 ? "ok" : "failed",
      says:
        missing.length + turned.length === 0
          ? `${templates.length} templates, both forms agree`
          : `without text or with another in BigQuery: ${[...missing.map(({ name }) => name), ...turned].join(", ")}`,
    });
    checks.push(await engineCheck());
    checks.push(await logCheck(call));
    const now = await call.ports.clock.now();
    return {
      action: "hlq.health" as const,
      health: checks.some(({ state }) => state === "failed")
        ? ("degraded" as const)
        : checks.some(({ state }) => state === "warning")
          ? ("warning" as const)
          : ("healthy" as const),
      checks,
      provenance: provenanceOf({
        template: null,
        coverage: null,
        timestamp: `${new Date(now).toISOString().slice(0, 19)}Z`,
      }) as never,
    };
  },
  present: ({ health, checks }, paint) =>
    [
      health === "healthy" ? paint.good(health) : paint.bad(health),
      ...columns(
        checks.map(({ name, state, says }) => [
          name,
          state === "ok" ? paint.good(state) : paint.bad(state),
          says,
        ]),
      ),
    ].join("\n"),
});

async function engineCheck() {
  try {
    const tables = await (await openEngine()).finish();
    const says = tables.engine;
    await tables.close();
    return { name: "engine", state: "ok" as const, says };
  } catch (error) {
    const { message, hint } = error as { message: string; hint?: string };
    return {
      name: "engine",
      state: "failed" as const,
      says: hint === undefined ? message : `${message}; ${hint}`,
    };
  }
}

async function logCheck(call: Parameters<typeof healthOperation.run>[1]) {
  const folder = call.env["HLQ_TRAJECTORY_LOG_DIR"];
  if (folder === undefined || folder === "")
    return { name: "log", state: "ok" as const, says: "off; HLQ_TRAJECTORY_LOG_DIR is unset" };
  try {
    const { episodes, unreadable } = await readOneShotLog(
      call.ports.files,
      isAbsolute(folder) ? folder : join(call.cwd, folder),
    );
    return unreadable === 0
      ? { name: "log", state: "ok" as const, says: `${episodes.length} questions logged` }
      : {
          name: "log",
          state: "warning" as const,
          says: `${episodes.length} questions logged, ${unreadable} lines cannot be read`,
        };
  } catch (error) {
    return { name: "log", state: "warning" as const, says: `cannot be read: ${(error as Error).message}` };
  }
}
