/** Which folder the servers are for: the flag, or where one stands. */
import { workspaceOf } from "@bridle/agent";
import { personFile } from "@bridle/extensions";
import type { Call } from "@bridle/operation";
import { Failure } from "@bridle/record";
import * as Type from "typebox";

export const workspaceInput = {
  workspace: Type.Optional(
    Type.String({
      minLength: 1,
      "x-placeholder": "folder",
      "x-path": true,
      description: "The project's folder; AGENT_WORKSPACE_ROOT or where you stand without it.",
    }),
  ),
} as const;

export const serverName = (description: string) =>
  Type.String({ minLength: 1, maxLength: 64, "x-position": 0, "x-placeholder": "name", description });

export async function placeOf(call: Call, input: { readonly workspace?: string }) {
  const { env, ports, signal } = call;
  const root = await workspaceOf(call, input);
  return { root, env, ports, signal, notice: (sentence: string) => call.warn(sentence) };
}

export function ownFile({ env }: Pick<Call, "env">): string {
  const file = personFile(env);
  if (file !== undefined) return file;
  throw new Failure("setting_invalid", {
    message: "neither XDG_CONFIG_HOME nor HOME names a folder, so there is no place for your own servers",
    hint: "Set HOME, or use --project.",
  });
}
