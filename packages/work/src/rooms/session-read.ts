/** The handoff as it stands: what every session begins with, in a part of its own. */
import type { Operation } from "@bridle/operation";
import { sessionRead } from "../operations/session-read.js";

export const operations: readonly Operation[] = [sessionRead];
