/** What a loop stands on when it changes issues: its own lane, or a person who vouches for it. */
import type { Standing } from "@bridle/operation";
import { refuse, type Refusal } from "@bridle/record";
import { overrideMsMax } from "@bridle/work";

type Override = Extract<Standing, { kind: "override" }>;

/** Undefined for the lane. */
export function overrideOf(
  input: { readonly mutationMode?: string; readonly overrideReason?: string },
  nowMs: number,
): Override | Refusal | undefined {
  if (input.mutationMode !== "human-override") return undefined;
  const reason = input.overrideReason?.trim() ?? "";
  if (reason === "")
    return refuse("mutation.override_invalid", {
      message: "human-override needs a reason",
      hint: "Say why with --override-reason, or leave --mutation-mode out.",
    });
  return { kind: "override", reason, expiresAtMs: nowMs + overrideMsMax };
}
