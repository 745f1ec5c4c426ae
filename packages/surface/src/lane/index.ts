import type { Operation } from "@bridle/operation";
import { laneClose } from "./close.js";
import { laneList } from "./list.js";
import { laneOpen } from "./open.js";

export const operations: readonly Operation[] = [laneOpen, laneList, laneClose];
