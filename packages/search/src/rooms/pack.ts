/** Replay packs: made, checked, listed, shown. */
import type { Operation } from "@bridle/operation";
import { dataCheck } from "../operations/data-check.js";
import { packBuild } from "../operations/pack-build.js";
import { packLs } from "../operations/pack-ls.js";
import { packShow } from "../operations/pack-show.js";
import { packVerify } from "../operations/pack-verify.js";

export const operations: readonly Operation[] = [dataCheck, packBuild, packVerify, packShow, packLs];
