/**
 * What a call does to the world, as far as promises and rules care.
 *
 * What a newcomer gets wrong: reading is no effect. A call without effects can
 * break nothing. And not every effect is meant: `how` says of those that come
 * along, are only likely, or take something back.
 */

export const effectKinds = [
  ...(["write", "create", "delete", "rename", "push", "force-push", "commit", "publish"] as const),
  /** `act`: it changes what is no file here: the state of git, a service, something far away, or who knows what. */
  ...(["deploy", "install", "network", "act"] as const),
] as const;
export type EffectKind = (typeof effectKinds)[number];

export interface Effect {
  readonly kind: EffectKind;
  /** Relative to the workspace as far as the text tells; `""` is all of it. Left out where it is no file. */
  readonly path?: string;
  /** The path stands for what lies below it as well. */
  readonly deep?: true;
  /**
   * `sweep`: a formatter went over the path; what it changed stands in its output.
   * `fix`: the same of a fixer, whose output also names what it only complains of.
   * `undo`: it brings back what was there.
   * `aside`: a folder, rights, a lock file, one of two places: nobody would call it a change of that file.
   */
  readonly how?: "sweep" | "fix" | "undo" | "aside";
}
