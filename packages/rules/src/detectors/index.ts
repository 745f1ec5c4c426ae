/**
 * The detectors by the id of their rule. The table of rules joins them; a rule
 * that has no entry here is only said to the model.
 *
 * What a newcomer gets wrong: a detector is judged by transcripts that were
 * labelled before it was written. One that does not reach the bar there does not
 * belong in this list. Two of those are still enforced, by stages of dispatch that
 * judge live calls with what a transcript does not have: R-COMMITMENT-CHECK and
 * R-ONE-SHOT-RETRY.
 */
import type { Detector } from "../types.js";
import { activeFirst } from "./active-first.js";
import { adversarialCheck } from "./adversarial-check.js";
import { chunkLargeFiles } from "./chunk-large-files.js";
import { citePaths } from "./cite-paths.js";
import { closedArtifact } from "./closed-artifact.js";
import { contractBounds } from "./contract-bounds.js";
import { dedupTools } from "./dedup-tools.js";
import { grepBeforeRefactor } from "./grep-before-refactor.js";
import { largeReadDiscipline } from "./large-read-discipline.js";
import { memoryFirstIdentity } from "./memory-first-identity.js";
import { memoryScope } from "./memory-scope.js";
import { orchId } from "./orch-id.js";
import { outputTypography } from "./output-typography.js";
import { plan3steps } from "./plan-3steps.js";
import { readToolErrors } from "./read-tool-errors.js";
import { researchBudget } from "./research-budget.js";
import { scopeCreep } from "./scope-creep.js";
import { searchDiversity } from "./search-diversity.js";
import { seqSetup } from "./seq-setup.js";
import { spawnPrompt } from "./spawn-prompt.js";
import { syntaxColumn } from "./syntax-column.js";
import { synthesizeVary } from "./synthesize-vary.js";
import { typecheckVerify } from "./typecheck-verify.js";
import { writeOneVerify } from "./write-one-verify.js";

export const detectors: Readonly<Record<string, Detector>> = {
  "R-ACTIVE-FIRST": activeFirst,
  "R-ADVERSARIAL-CHECK": adversarialCheck,
  "R-CHUNK-LARGE-FILES": chunkLargeFiles,
  "R-CITE-PATHS": citePaths,
  "R-CLOSED-ARTIFACT": closedArtifact,
  "R-CONTRACT-BOUNDS": contractBounds,
  "R-DEDUP-TOOLS": dedupTools,
  "R-GREP-BEFORE-REFACTOR": grepBeforeRefactor,
  "R-LARGE-READ-DISCIPLINE": largeReadDiscipline,
  "R-MEMORY-FIRST-IDENTITY": memoryFirstIdentity,
  "R-MEMORY-SCOPE": memoryScope,
  "R-ORCH-ID": orchId,
  "R-OUTPUT-TYPOGRAPHY": outputTypography,
  "R-PLAN-3STEPS": plan3steps,
  "R-READ-TOOL-ERRORS": readToolErrors,
  "R-RESEARCH-BUDGET": researchBudget,
  "R-SCOPE-CREEP": scopeCreep,
  "R-SEARCH-DIVERSITY": searchDiversity,
  "R-SEQ-SETUP": seqSetup,
  "R-SPAWN-PROMPT": spawnPrompt,
  "R-SYNTAX-COLUMN": syntaxColumn,
  "R-SYNTHESIZE-VARY": synthesizeVary,
  "R-TYPECHECK-VERIFY": typecheckVerify,
  "R-WRITE-ONE-VERIFY": writeOneVerify,
};
