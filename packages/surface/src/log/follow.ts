/** `bridle log follow`: rows as they come, one line each, until interrupted. */
import { defineOperation } from "@bridle/operation";
import { counted, describeDamage, failureAt } from "@bridle/record";
import * as Type from "typebox";
import { commentsInput, openLog, pathInput } from "./place.js";

export const logFollow = defineOperation({
  names: { id: "op/log.follow", action: "log.follow", command: ["log", "follow"], tool: "log_follow" },
  family: "bridle",
  effect: "read",
  surfaces: ["cli"],
  summary: "Print the rows of a log, and then new ones as they come.",
  description:
    "Ends when it is interrupted or when nobody reads its output. A log that is replaced is printed again from its " +
    "start; damage is told on stderr and skipped.",
  examples: [
    {
      command: "bridle log follow .premath/harness_trajectory.jsonl",
      says: "prints every row and waits for more",
    },
    {
      command: "bridle log follow .premath/harness_trajectory.jsonl --from end",
      says: "prints only new rows",
    },
  ],
  input: Type.Object(
    {
      path: pathInput,
      from: Type.Optional(
        Type.Enum(["start", "end"], {
          description: "Where to begin: with the first row, or after the last.",
          default: "start",
        }),
      ),
      comments: commentsInput,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ action: Type.Literal("log.follow"), path: Type.String(), rows: Type.Integer() }),
  async run(input, call) {
    const log = await openLog(input, call);
    let rows = 0;
    try {
      for await (const entry of log.follow({ signal: call.signal, from: input.from ?? "start" })) {
        switch (entry.kind) {
          case "row":
            rows += 1;
            await call.emit?.(entry.row, entry.text);
            break;
          case "damage":
            call.warn(describeDamage(input.path, entry));
            break;
          case "restarted":
            call.warn(`${input.path} was replaced; it is printed again from its start`);
            break;
          case "comment":
            break;
        }
        if (call.signal.aborted) break;
      }
    } catch (error) {
      throw failureAt(log.local.path, error);
    } finally {
      await log.close();
    }
    return { action: "log.follow" as const, path: input.path, rows };
  },
  present: ({ path, rows }) => `  ${path}: ${counted(rows, "row", "rows")}`,
});
