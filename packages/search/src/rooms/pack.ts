/** Replay packs: made, checked, listed, shown. */
import type { Operation } from "@bridle/operation";
import { packBuild } from "../operations/pack-build.js";
import { packLs } from "../operations/pack-ls.js";
import { packShow } from "../operations/pack-show.js";
import { packVerify } from "../operations/pack-verify.js";

export const operations: readonly Operation[] = [packBuild, packVerify, packShow, packLs];
