import fc from "fast-check";
import { expect, it } from "vitest";
import { holds } from "../../../../test/support/property.js";
import { rowText } from "./row-text.js";
import type { EndReason } from "../types.js";
import type { Disposition, SessionRow } from "./rows.js";

const text = fc.string({ unit: "binary" });
const at = { send: fc.nat(), round: fc.nat() };

/** Members in the order in which the harness makes them. */
const rows: fc.Arbitrary<SessionRow> = fc.oneof(
  fc.record({
    ...{ type: fc.constant("tool_render" as const), ...at, toolCallId: text, operatorPayloadDigest: text },
    ...{ reminderRenderDigest: text, injectionPoint: text, policyDigest: text },
  }),
  fc.record({
    ...{ type: fc.constant("tool_use" as const), ...at },
    uses: fc.array(
      fc.record({
        toolCallId: text,
        disposition: fc.constantFrom<Disposition>("consumed", "observed", "discarded"),
        resultDigest: text,
      }),
    ),
  }),
  fc.record({
    ...{
      type: fc.constant("state_view" as const),
      ...at,
      viewId: text,
      viewDigest: text,
      policyDigest: text,
    },
    sourceRefs: fc.array(text),
  }),
  fc.record({
    ...{ type: fc.constant("reminder_queue" as const), ...at, queueId: text, reducedDigest: text },
    ...{ policyDigest: text, notes: fc.array(fc.record({ id: text, text })) },
  }),
  fc.record(
    {
      ...{ type: fc.constant("request" as const), ...at, elapsedMs: fc.double() },
      ...{ othersUsd: fc.double(), closing: fc.constantFrom<EndReason>("timeout", "round_cap") },
    },
    { requiredKeys: ["type", "send", "round", "elapsedMs"] },
  ),
  fc.record({ type: fc.constant("send" as const), send: fc.nat(), text }),
);

it("a row's line is its JSON, whatever stands in it", () => {
  holds(
    fc.property(rows, (row) => {
      expect(rowText(row)).toBe(JSON.stringify(row));
    }),
  );
});
