/**
 * The port through which a project's checks run: each in a worktree of its own, behind the
 * wall where there is one, with the repository read-only.
 */
import { rm } from "node:fs/promises";
import { type CommandRunner, type HeldCommand, present } from "@bridle/record";
import { openCommands } from "./commands.js";
import type { Commands, Environment } from "./types.js";

export function heldCommands(env: Environment): CommandRunner {
  const opened = new Map<string, Commands>();
  const commandsOf = (folder: string) => {
    const known =
      opened.get(folder) ??
      openCommands({ workspace: folder, env, repositoryReadOnly: true, comparing: false });
    opened.set(folder, known);
    return known;
  };
  return {
    async run({ folder, wall, network, ...request }: HeldCommand) {
      const commands = commandsOf(folder);
      const walled = wall && (await commands.wall()).stands;
      const needs = !wall ? ("host" as const) : network ? ("network" as const) : ("write" as const);
      try {
        const { how, code, signal, message } = await commands.run({ ...request, needs, cwd: folder });
        const says = message ?? (signal === undefined ? undefined : `ended by ${signal}`);
        return { how, walled, ...present({ code, message: says }) };
      } catch (error) {
        return { how: "failed", message: (error as Error).message, walled };
      }
    },
    holds: async (folder) => (await commandsOf(folder).wall()).stands,
    async discard(folder) {
      opened.delete(folder);
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
