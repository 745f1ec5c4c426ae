/** Dependencies between issues. */
import type { Operation } from "@bridle/operation";
import { depAdd } from "../operations/dep-add.js";
import { depDiagnostics } from "../operations/dep-diagnostics.js";
import { depProject } from "../operations/dep-project.js";
import { depRemove } from "../operations/dep-remove.js";
import { depReplace } from "../operations/dep-replace.js";

export const operations: readonly Operation[] = [depAdd, depRemove, depReplace, depDiagnostics, depProject];
