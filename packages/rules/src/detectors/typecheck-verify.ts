/**
 * R-TYPECHECK-VERIFY: who says that typed code is done has let a checker see it.
 *
 * What a newcomer gets wrong: the order counts. A check clears what was edited
 * before it, only in its own language, and only if it passed.
 */
import { claimsDone, admitsUnchecked } from "../reading/claims.js";
import { changesOnlyComments } from "../reading/comments.js";
import { extension, pathOf } from "../reading/paths.js";
import { checkOf, type Coverage, type Language, languageOf, showsFailure } from "../reading/shell-checks.js";
import { changedPaths, commandsOf } from "../reading/shell-effects.js";
import type { CallOutcome, Detector, Finding, ProposedCall } from "../types.js";

export const typecheckVerify: Detector = {
  begin() {
    /** Edited and not checked since, with the last path of each. */
    const unchecked = new Map<Language, string>();
    /** What was read of typed files, to see whether an edit stays within comments. */
    const texts = new Map<string, string>();

    const edited = (path: string) => {
      const language = languageOf(extension(path));
      if (language !== undefined) unchecked.set(language, path);
    };
    const passed = (coverage: Coverage) => {
      if (coverage === "all") unchecked.clear();
      else for (const language of coverage) unchecked.delete(language);
    };
    const shell = (call: ProposedCall, outcome: CallOutcome) => {
      const line = call.args["command"];
      if (typeof line !== "string" || outcome.ran === false) return;
      const failed = showsFailure(outcome.output);
      for (const command of commandsOf(line)) {
        if (isEdit(command.run[0] ?? "", command.writesTo.length)) changedPaths(command).forEach(edited);
        const coverage = checkOf(command.run);
        if (coverage !== undefined && !failed && (outcome.ok || command.statusHidden)) passed(coverage);
      }
    };

    return {
      ran(call, outcome) {
        if (call.tool === "run_shell") {
          shell(call, outcome);
          return undefined;
        }
        const path = pathOf(call.args);
        if (path !== undefined && languageOf(extension(path)) !== undefined) {
          if (call.tool === "read_file" && outcome.ok) texts.set(path, outcome.output);
          if (call.tool === "write_file" && outcome.ok) edited(path);
          if (call.tool === "edit_file" && outcome.ok && !changesOnlyComments(call.args, texts.get(path)))
            edited(path);
        } else if (isCheckTool(call.tool) && outcome.ok && !showsFailure(outcome.output)) passed("all");
        return undefined;
      },
      answered(text): Finding | undefined {
        const path = [...unchecked.values()].at(-1);
        if (path === undefined || !claimsDone(text) || admitsUnchecked(text)) return undefined;
        return {
          what: `The answer claims to be done, but no passing typecheck, build or test followed the edit of ${path}.`,
          remedy: `Run the typecheck, build or tests that cover ${path}, or say in the answer that it was not checked.`,
        };
      },
    };
  },
};

/** A formatter changes the layout only, and version control brings back what was there. */
function isEdit(program: string, writes: number): boolean {
  return writes > 0 || /^(?:sed|perl|mv|cp|tee|patch|ed|ex)$/.test(program);
}

function isCheckTool(tool: string): boolean {
  return /^(?:run_)?(?:tests?|typecheck|type_check|build|compile|diagnostics|checks?)$/.test(tool);
}
