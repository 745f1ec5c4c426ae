/**
 * What a call does to the world, as far as promises care.
 *
 * What a newcomer gets wrong: reading is no effect. A call without effects can
 * break nothing.
 */

export const effectKinds = [
  ...(["write", "create", "delete", "rename", "push", "force-push", "commit", "publish"] as const),
  ...(["deploy", "install", "network"] as const),
] as const;
export type EffectKind = (typeof effectKinds)[number];

export interface Effect {
  readonly kind: EffectKind;
  /** Relative to the workspace as far as the text tells; `""` is all of it. Left out where it is no file. */
  readonly path?: string;
  /** The path stands for what lies below it as well. */
  readonly deep?: true;
}
