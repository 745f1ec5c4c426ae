/** Damage as the commands tell it. */
import { type Damage, damageKinds } from "@bridle/record";

export interface ToldDamage {
  readonly line: number;
  readonly byte: number;
  readonly bytes: number;
  readonly damage: string;
  readonly says: string;
}

export function tellDamage({ line, at, bytes, damage }: Damage): ToldDamage {
  return { line, byte: at, bytes, damage, says: damageKinds[damage] };
}
