/** Whether the base commit holds an instruction envelope as it is on disk: no client writes its own permission. */
import { isAbsolute, join, relative, sep } from "node:path";
import type { Call } from "@bridle/operation";
import { type Refusal, refuse } from "@bridle/record";

/** Undefined where it does. */
export async function heldByBase(
  path: string,
  { root, call }: { readonly root: string; readonly call: Call },
): Promise<Refusal | undefined> {
  const whole = isAbsolute(path) ? path : join(call.cwd, path);
  const below = relative(root, whole).split(sep).join("/");
  if (!/^instructions\/[^/]+\.json$/.test(below))
    return notHeld(path, "it does not stand under instructions/");
  const { git } = call.ports;
  if (git === undefined) return notHeld(path, "there is no git to ask");
  const committed = await git.run(root, ["rev-parse", "--verify", "--quiet", `HEAD:${below}`]);
  if (committed.code !== 0) return notHeld(path, "it is not committed");
  const present = await git.run(root, ["hash-object", "--", below]);
  if (present.code !== 0 || said(present.stdout) !== said(committed.stdout))
    return notHeld(path, "it was changed since");
  return undefined;
}

const said = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trim();

function notHeld(path: string, why: string): Refusal {
  return refuse("mutation.envelope_not_in_base", {
    message: `${path}: ${why}`,
    hint: "A person commits it under instructions/ of the main tree.",
  });
}
