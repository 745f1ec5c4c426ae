/**
 * R-TYPECHECK-VERIFY: between the last edit of typed code and the answer a check passed.
 *
 * What a newcomer gets wrong: whatever the answer claims or admits, it is sent back
 * once. The order counts, what was checked before the last edit does not; which
 * language a check is of is not asked.
 */
import { changesOf } from "../reading/changes.js";
import { isTypedCode, mayCheckTypes } from "../type-checks.js";
import type { Detector, Finding } from "../types.js";

export const typecheckVerify: Detector = {
  begin() {
    /** The last path that was edited and not checked since. */
    let unchecked: string | undefined;
    return {
      ran(call, outcome) {
        const changes = changesOf(call, outcome);
        if (changes !== "anything") unchecked = changes.findLast(isTypedCode) ?? unchecked;
        const { command } = call.args;
        const checks =
          call.tool === "run_shell"
            ? typeof command === "string" && mayCheckTypes(command)
            : isCheckTool(call.tool);
        if (checks && outcome.ok && outcome.ran !== false) unchecked = undefined;
        return undefined;
      },
      answered(): Finding | undefined {
        const path = unchecked;
        unchecked = undefined;
        if (path === undefined) return undefined;
        return {
          what: `No passing typecheck, build or test followed the edit of ${path}.`,
          remedy: `Run the typecheck, build or tests that cover ${path}; where there is none, say in the answer that it was not checked.`,
        };
      },
    };
  },
};

function isCheckTool(tool: string): boolean {
  return /^(?:run_)?(?:tests?|typecheck|type_check|build|compile|diagnostics|checks?)$/.test(tool);
}
