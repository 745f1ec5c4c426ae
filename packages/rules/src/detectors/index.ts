/**
 * The detectors by the id of their rule. The table of rules joins them; a rule
 * that has no entry here is held by a stage of dispatch (repetition, bounds and
 * commitments), judged by a model or only said to it.
 *
 * What a newcomer gets wrong: a detector is judged by transcripts that were labelled
 * before it was written, and none refuses whose precision there is below the bar.
 */
import type { Detector } from "../types.js";
import { activeFirst } from "./active-first.js";
import { adversarialCheck } from "./adversarial-check.js";
import { chunkLargeFiles } from "./chunk-large-files.js";
import { citePaths } from "./cite-paths.js";
import { closedArtifact } from "./closed-artifact.js";
import { largeReadDiscipline } from "./large-read-discipline.js";
import { orchId } from "./orch-id.js";
import { outputTypography } from "./output-typography.js";
import { plan3steps } from "./plan-3steps.js";
import { readToolErrors } from "./read-tool-errors.js";
import { researchBudget } from "./research-budget.js";
import { scopeCreep } from "./scope-creep.js";
import { searchDiversity } from "./search-diversity.js";
import { spawnPrompt } from "./spawn-prompt.js";
import { syntaxColumn } from "./syntax-column.js";
import { typecheckVerify } from "./typecheck-verify.js";
import { writeOneVerify } from "./write-one-verify.js";

export const detectors: Readonly<Record<string, Detector>> = {
  "R-ACTIVE-FIRST": activeFirst,
  "R-ADVERSARIAL-CHECK": adversarialCheck,
  "R-CHUNK-LARGE-FILES": chunkLargeFiles,
  "R-CITE-PATHS": citePaths,
  "R-CLOSED-ARTIFACT": closedArtifact,
  "R-LARGE-READ-DISCIPLINE": largeReadDiscipline,
  "R-ORCH-ID": orchId,
  "R-OUTPUT-TYPOGRAPHY": outputTypography,
  "R-PLAN-3STEPS": plan3steps,
  "R-READ-TOOL-ERRORS": readToolErrors,
  "R-RESEARCH-BUDGET": researchBudget,
  "R-SCOPE-CREEP": scopeCreep,
  "R-SEARCH-DIVERSITY": searchDiversity,
  "R-SPAWN-PROMPT": spawnPrompt,
  "R-SYNTAX-COLUMN": syntaxColumn,
  "R-TYPECHECK-VERIFY": typecheckVerify,
  "R-WRITE-ONE-VERIFY": writeOneVerify,
};
