/**
 * R-COMMITMENT-CHECK: a call does what the plan ruled out.
 *
 * The judging is that of the live commitments stage (`firstBroken`). What a newcomer
 * gets wrong: `plan` without `commitments` drops nothing; a list without one does.
 * What a commitment says in words is shown to the model and holds nobody back.
 */
import { commitmentIn, firstBroken, type Commitment } from "../commitments.js";
import { pathOf } from "../paths.js";
import type { Detector } from "../types.js";

export const commitmentCheck: Detector = {
  begin() {
    let commitments: readonly Commitment[] = [];
    return {
      proposed({ tool, args }) {
        const path = tool === "write_file" || tool === "edit_file" ? pathOf(args) : undefined;
        const { needs } = args;
        const broken = firstBroken(commitments, {
          tool,
          ...(path === undefined ? {} : { changes: [path] }),
          ...(tool === "run_shell" ? { needs: typeof needs === "string" ? needs : "read" } : {}),
        });
        return broken === undefined ? undefined : { what: broken.message, remedy: broken.remedy };
      },
      ran({ tool, args }, { ok, ran }) {
        const given = args["commitments"];
        if (tool === "plan" && ok && ran !== false && Array.isArray(given))
          commitments = given.flatMap((each) => commitmentIn(each) ?? []);
        return undefined;
      },
    };
  },
};
