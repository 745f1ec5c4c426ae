/** `bridle log verify|repair|follow`: the room for looking after append-only logs by hand. */
import type { Operation } from "@bridle/operation";
import { logFollow } from "./follow.js";
import { logRepair } from "./repair.js";
import { logVerify } from "./verify.js";

export const operations: readonly Operation[] = [logVerify, logRepair, logFollow];
