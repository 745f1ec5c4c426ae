import type { Operation } from "@bridle/operation";
import { type Screen, statusOperation } from "./operation.js";

const screen = (): Screen => ({
  isTerminal: process.stdout.isTTY === true,
  write: (text) => void process.stdout.write(text),
});

export const operations: readonly Operation[] = [statusOperation(screen)];
