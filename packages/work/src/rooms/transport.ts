/** Work that goes from one folder to another. */
import type { Operation } from "@bridle/operation";
import { transportSend } from "../operations/transport-send.js";

export const operations: readonly Operation[] = [transportSend];
