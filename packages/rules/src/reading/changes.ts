/**
 * What a call changed, as far as it is known.
 *
 * What a newcomer gets wrong: of a command nobody knows unless the harness compared
 * before and after (`changed`). Then it may have been anything, and a detector that
 * depends on it is silent.
 */
import { pathOf } from "../paths.js";
import type { CallOutcome, ProposedCall } from "../types.js";

export function changesOf(
  { tool, args }: ProposedCall,
  outcome: CallOutcome,
): readonly string[] | "anything" {
  if (outcome.ran === false) return [];
  if (outcome.changed !== undefined) return outcome.changed;
  if (tool === "run_shell") return "anything";
  const path = outcome.ok && (tool === "write_file" || tool === "edit_file") ? pathOf(args) : undefined;
  return path === undefined ? [] : [path];
}
