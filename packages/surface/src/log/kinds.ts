/**
 * The kinds of file that logs leave beside themselves, for schemas/.
 *
 * The record room writes them and knows no schema language; log.test.ts holds
 * what it writes against these.
 */
import { damageKinds } from "@bridle/record";
import * as Type from "typebox";

const Damage = Type.Object({
  kind: Type.Literal("damage"),
  damage: Type.Union(Object.keys(damageKinds).map((kind) => Type.Literal(kind))),
  byte: Type.Integer({ minimum: 0, description: "Where the line or block begins." }),
  line: Type.Integer({ minimum: 1 }),
  bytes: Type.Integer({ minimum: 0 }),
  at: Type.Integer({ minimum: 0, description: "The first offending byte." }),
  readable: Type.Boolean({ description: "Whether the rows there were delivered all the same." }),
});

export const DamageMarker = Type.Object(
  {
    kind: Type.Literal("bridle.log.damage.v1"),
    path: Type.String({ description: "The log, below the folder that holds its `.local`." }),
    foundAt: Type.String({ description: "RFC 3339." }),
    damageCount: Type.Integer({ minimum: 1 }),
    damage: Type.Array(Damage, { description: "The first places." }),
  },
  { title: "Damage was found in a log; it is not changed until it has been repaired" },
);

export const artifactKinds = [{ kind: "bridle.log.damage.v1", schema: DamageMarker }];
