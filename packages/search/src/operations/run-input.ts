/** What the operations on runs share. */
import { resolve } from "node:path";
import type { Call } from "@bridle/operation";
import * as Type from "typebox";
import type { RunVerification } from "../run/read.js";
import { pathOf } from "./pack-input.js";

export function runInput(description: string, position = 0) {
  return Type.String({
    minLength: 1,
    "x-position": position,
    "x-placeholder": "folder",
    "x-path": true,
    description,
  });
}

export const packFlag = Type.String({
  minLength: 1,
  "x-placeholder": "folder",
  "x-path": true,
  description: "The folder of the pack.",
});

export const episodeFlag = Type.String({
  minLength: 1,
  "x-placeholder": "id",
  description: "The episode that is meant.",
});

/** Without a slash at its end, which would give the sidecar another name. */
export function folderOf(call: Call, path: string): string {
  return resolve(pathOf(call, path));
}

export const endsOutput = Type.Object({
  finalize_signal: Type.Integer(),
  finalize_low_signal: Type.Integer(),
  abstain: Type.Integer(),
});

export const runHead = {
  folder: Type.String(),
  runId: Type.String(),
  packId: Type.String(),
  policyId: Type.String(),
  status: Type.Enum(["complete", "incomplete"]),
  episodes: Type.Integer({ description: "Of the run." }),
  complete: Type.Integer({ description: "Of these have an end." }),
  steps: Type.Integer(),
  refusals: Type.Integer(),
} as const;

export function headOfRun(folder: string, { manifest, status, complete, steps, refusals }: RunVerification) {
  return {
    folder,
    runId: manifest?.run_id ?? "",
    packId: manifest?.pack_id ?? "",
    policyId: manifest?.policy_id ?? "",
    status,
    episodes: manifest?.episode_count ?? 0,
    complete,
    steps,
    refusals,
  };
}
