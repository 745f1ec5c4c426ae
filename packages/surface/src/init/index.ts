import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import type { Operation } from "@bridle/operation";
import { type Asker, initOperation } from "./operation.js";

async function terminal(): Promise<Asker> {
  const { stdin, stderr } = process;
  return {
    isPerson: stdin.isTTY === true && stderr.isTTY === true,
    async ask(text, signal) {
      const lines = createInterface({ input: stdin, output: stderr });
      try {
        return await lines.question(text, { signal });
      } catch {
        return undefined;
      } finally {
        lines.close();
      }
    },
  };
}

/** The launcher that was started, which git and clients start again. */
const program = () => resolve(process.argv[1] ?? "premath");

export const operations: readonly Operation[] = [initOperation(terminal, program)];
