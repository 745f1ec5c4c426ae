/** `run_shell` on commands of its own, as a test sets them up. */
import { type Commands, type CommandsOptions, openCommands } from "@bridle/host";
import { nodePorts } from "@bridle/record";
import { runShellTool } from "@bridle/tools";

export function shellTool(options: CommandsOptions) {
  let opened: Commands | undefined;
  return runShellTool({
    ports: nodePorts(),
    workspaceRoot: options.workspace,
    commands: () => (opened ??= openCommands(options)),
  });
}
