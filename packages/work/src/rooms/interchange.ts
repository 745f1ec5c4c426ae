/** Issues from and to elsewhere; what merges files for git is in the surface, because it runs git. */
import type { Operation } from "@bridle/operation";
import { issueExport } from "../operations/issue-export.js";
import { issueImport } from "../operations/issue-import.js";

export const operations: readonly Operation[] = [issueImport, issueExport];
