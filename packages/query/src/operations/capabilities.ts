/** `hlq capabilities`: what can be asked, and what cannot. */
import { columns, defineOperation } from "@bridle/operation";
import * as Type from "typebox";
import { provenanceOf } from "../answer/provenance.js";
import { families, unsupportedReasons } from "../families.js";
import { templates } from "../templates/catalogue.js";
import { ProvenanceSchema } from "./answer-schema.js";
import { logQuestion } from "../log/write.js";
import { isAbsolute, join } from "node:path";

export const capabilitiesOperation = defineOperation({
  names: {
    id: "op/hlq.capabilities",
    action: "hlq.capabilities",
    command: ["capabilities"],
    tool: "hlq_capabilities",
  },
  family: "hlq",
  effect: "read",
  surfaces: ["cli", "mcp"],
  summary: "List what `hlq ask` can answer, with an example each, and what it cannot.",
  examples: [{ command: "hlq capabilities", says: "families, templates, and what is not here" }],
  input: Type.Object({}, { additionalProperties: false }),
  output: Type.Object({
    action: Type.Literal("hlq.capabilities"),
    families: Type.Array(
      Type.Object({
        name: Type.String(),
        about: Type.String(),
        says: Type.String(),
        neighbours: Type.String(),
        example: Type.String(),
        templates: Type.Array(Type.String()),
      }),
    ),
    unsupported: Type.Record(Type.String(), Type.String()),
    provenance: ProvenanceSchema,
  }),
  async run(_, call) {
    const now = await call.ports.clock.now();
    const provenance = provenanceOf({
      template: null,
      coverage: null,
      timestamp: `${new Date(now).toISOString().slice(0, 19)}Z`,
    });
    const folder = call.env["HLQ_TRAJECTORY_LOG_DIR"];
    if (folder !== undefined && folder !== "") {
      const answer = { status: "help" } as never;
      await logQuestion({
        folder: isAbsolute(folder) ? folder : join(call.cwd, folder),
        ports: call.ports,
        question: "capabilities",
        outcome: { answer, routed: { kind: "help" }, executions: [], provenance },
        dryRun: false,
        surface: call.kept === undefined ? "cli" : "mcp",
      });
    }
    return {
      action: "hlq.capabilities" as const,
      families: families.map(({ name, about, says, neighbours, example }) => ({
        name,
        about,
        says,
        neighbours,
        example,
        templates: templates.filter((each) => each.family === name).map((each) => each.name),
      })),
      unsupported: { ...unsupportedReasons },
      provenance: provenance as never,
    };
  },
  present({ families: list, unsupported }, paint) {
    const of = (about: string) =>
      columns(
        list.filter((each) => each.about === about).map(({ name, example }) => [paint.strong(name), example]),
      );
    return [
      "Markets",
      ...of("markets"),
      "",
      "Traders",
      ...of("traders"),
      "",
      "Not here",
      ...columns(
        Object.entries(unsupported).map(([name, says]) => [name.replaceAll("_", " "), paint.dim(says)]),
      ),
    ].join("\n");
  },
});
