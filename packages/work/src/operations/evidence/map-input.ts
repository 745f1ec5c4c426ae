/** Which map of required checks a checker goes by. */
import { join, resolve } from "node:path";
import type { Call } from "@bridle/operation";
import type { Refusal } from "@bridle/record";
import * as Type from "typebox";
import { type CheckMap, checkMapPath } from "../../evidence/required/check-map.js";
import { ciToposMap } from "../../evidence/required/ci-topos.js";
import { readMap } from "../../evidence/required/read-map.js";
import { repoRootInput, type RepoRootInput, topOf } from "./repository.js";

export const mapInput = {
  checks: Type.Optional(
    Type.String({
      minLength: 1,
      "x-placeholder": "path",
      "x-path": true,
      description: `The map of required checks, ${checkMapPath} when left out; where there is none, the table ci-topos-v0.`,
    }),
  ),
  ...repoRootInput,
} as const;

/** A repository without a map is judged by the original's table: nothing is run or closed by it. */
export async function mapFor(
  input: RepoRootInput & { readonly checks?: string },
  call: Call,
): Promise<CheckMap | Refusal> {
  const { files } = call.ports;
  const top = await topOf(input, call);
  if (input.checks !== undefined) return readMap(top, files, resolve(call.cwd, input.checks));
  if ((await files.stat(join(top, checkMapPath))) === undefined) return ciToposMap;
  return readMap(top, files);
}
