/** Flags that the loops share. */
import * as Type from "typebox";
import { flag, number, text } from "./define.js";

export const runInput = {
  repoRoot: text("folder", "The repository; the one that you stand in when left out.", { "x-path": true }),
  into: text("branch", "The branch that verified changes are merged into; bridle/main when left out."),
  preset: text(
    "name",
    "What does the work: claude, codex, pi or bridle; as .bridle/runner.json says when left out.",
  ),
  workCmd: text(
    "command",
    "A command of your own that does the work, for bash; PREMATH_WORK_CMD when left out.",
  ),
  verifyCmd: text(
    "command",
    "A check besides those that the project requires; PREMATH_VERIFY_CMD when left out, and then none.",
  ),
  merge: Type.Optional(
    Type.Enum(["auto", "review"], {
      description: "auto merges what is verified; review lets it wait for a person. auto when left out.",
    }),
  ),
  leaseTtlSeconds: Type.Optional(
    Type.Integer({
      ...{ minimum: 30, maximum: 86_400, "x-placeholder": "seconds" },
      description: "How long a claim lasts unless it is renewed; 3600 when left out.",
    }),
  ),
  minutes: number("minutes", "How long a step's work may take; 60 when left out.", 0.001),
  continueOnFailure: flag("Go on to the next issue after a step that failed."),
  mutationMode: Type.Optional(
    Type.Enum(["instruction-linked", "human-override"], {
      description:
        "What lets it change issues: a lane that it opens for its own process, or that you vouch for it; the first when left out.",
    }),
  ),
  overrideReason: text("text", "With human-override: why; it is recorded."),
} as const;

export const budgetInput = {
  maxCost: number("dollars", "Begin no step once so much is spent.", 0),
  maxMinutes: number("minutes", "Begin no step after so long.", 0),
} as const;
