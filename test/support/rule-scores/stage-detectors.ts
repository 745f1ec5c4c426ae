/**
 * Four rules are held by stages of dispatch, which ask `Repeats`, `BoundsMeter` and
 * `firstBroken` about live calls. Here the same three are asked about the calls of a
 * transcript, so that these rules are scored like those with a detector.
 *
 * What a newcomer gets wrong: `compress_context` may succeed and have done nothing.
 * Its results count as gone all the same, since then a repeat is not held against anybody.
 */
import { isJsonObject, type JsonValue } from "@bridle/record";
import { BoundsMeter, boundsIn, restartsBounds } from "../../../packages/rules/src/bounds.js";
import { type Commitment, firstBroken, isNeeds } from "../../../packages/rules/src/commitments.js";
import { pathOf } from "../../../packages/rules/src/paths.js";
import {
  dedupRule,
  Repeats,
  type RepeatVerdict,
  retryRule,
} from "../../../packages/rules/src/repeats/repeats.js";
import type { RepeatCall } from "../../../packages/rules/src/repeats/keys.js";
import type { CallOutcome, Detector, ProposedCall } from "../../../packages/rules/src/types.js";
import { usualIntent } from "./usual-intent.js";

class RepeatsWatch {
  readonly #repeats = new Repeats();
  #calls = 0;
  /** Of the calls since the last compaction. */
  #ids: string[] = [];

  judge(call: ProposedCall): RepeatVerdict | undefined {
    return this.#repeats.judge(this.#asCall(call));
  }

  record(call: ProposedCall, outcome: CallOutcome): void {
    const recorded = this.#asCall(call);
    this.#calls += 1;
    this.#ids.push(recorded.id);
    this.#repeats.record(recorded, outcome);
    if (call.tool !== "compress_context" || !outcome.ok) return;
    this.#repeats.compacted(this.#ids);
    this.#ids = [];
  }

  #asCall(call: ProposedCall): RepeatCall {
    return { id: `${this.#calls + 1}`, ...call, intent: usualIntent(call.tool, call.args) };
  }
}

/** The rule is about questions (memory, files, pages); loops of commands and listings are stopped without it. */
const questions: ReadonlySet<string> = new Set([
  ...["memory_query", "recall_relevant"],
  ...["read_file", "read_file_chunked", "web_fetch"],
]);

function repetition(rule: RepeatVerdict["rule"], isJudged: (tool: string) => boolean): Detector {
  return {
    begin() {
      const repeats = new RepeatsWatch();
      return {
        proposed(call) {
          const verdict = isJudged(call.tool) ? repeats.judge(call) : undefined;
          return verdict?.rule === rule ? { what: verdict.what, remedy: verdict.remedy } : undefined;
        },
        ran(call, outcome) {
          repeats.record(call, outcome);
          return undefined;
        },
      };
    },
  };
}

export const oneShotRetry = repetition(retryRule, () => true);

/** A plan counts when it succeeded, and a call when it ran. */
const contractBounds: Detector = {
  begin() {
    const meter = new BoundsMeter();
    return {
      proposed({ tool, round }) {
        const reached = tool === "plan" ? undefined : meter.judge({ round });
        return reached === undefined ? undefined : { what: reached.message, remedy: reached.remedy };
      },
      ran({ tool, args, round }, { ok, ran }) {
        if (ran === false) return undefined;
        if (tool !== "plan") meter.count(round);
        else if (ok && restartsBounds(args)) {
          const { contract } = args;
          meter.start(isJsonObject(contract) ? boundsIn(contract) : {}, { round });
        }
        return undefined;
      },
    };
  },
};

/** `plan` without `commitments` drops nothing; a list without one does. */
const commitmentCheck: Detector = {
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
        return broken === undefined ? undefined : { what: broken, remedy: "Leave it as it is." };
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

/** As a transcript gives it; a text alone has no structure. Undefined when it is none. */
function commitmentIn(value: JsonValue): Commitment | undefined {
  if (typeof value === "string") return { text: value, paths: [], tools: [], needs: [] };
  if (!isJsonObject(value) || typeof value["text"] !== "string") return undefined;
  const { text, paths, tools, needs } = value;
  return { text, paths: texts(paths), tools: texts(tools), needs: texts(needs).filter(isNeeds) };
}

function texts(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

export const stageDetectors: Readonly<Record<string, Detector>> = {
  [dedupRule]: repetition(dedupRule, (tool) => questions.has(tool)),
  [retryRule]: oneShotRetry,
  "R-CONTRACT-BOUNDS": contractBounds,
  "R-COMMITMENT-CHECK": commitmentCheck,
};
