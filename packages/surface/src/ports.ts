/** The real ports of a program, git and commands included; both are loaded when somebody needs them. */
import { type CommandRunner, type Git, nodePorts, type Ports } from "@bridle/record";

export function surfacePorts(env: Readonly<Record<string, string | undefined>>): Ports {
  const git: Git = {
    async run(folder, args) {
      const { nodeGit } = await import("@bridle/host");
      return nodeGit(env).run(folder, args);
    },
  };
  let runner: Promise<CommandRunner> | undefined;
  const held = () => (runner ??= import("@bridle/host").then(({ heldCommands }) => heldCommands(env)));
  const commands: CommandRunner = {
    run: async (command) => (await held()).run(command),
    holds: async (folder) => (await held()).holds(folder),
    discard: async (folder) => (await held()).discard(folder),
  };
  return { ...nodePorts(), git, commands };
}
