import type { Operation } from "@bridle/operation";
import { thisMachine } from "./machine.js";
import { doctorOperation } from "./operation.js";

export const operations: readonly Operation[] = [doctorOperation(thisMachine)];
