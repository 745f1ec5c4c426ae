/** The real ports of a program, git included; git is loaded when somebody asks it. */
import { type Git, nodePorts, type Ports } from "@bridle/record";

export function surfacePorts(env: Readonly<Record<string, string | undefined>>): Ports {
  const git: Git = {
    async run(folder, args) {
      const { nodeGit } = await import("@bridle/host");
      return nodeGit(env).run(folder, args);
    },
  };
  return { ...nodePorts(), git };
}
