/** What this room writes that stands on its own, for schemas/. */
import type { TSchema } from "typebox";
import { TrustFile } from "./trust/trust.js";

export const artifactKinds: readonly { readonly kind: string; readonly schema: TSchema }[] = [
  { kind: "bridle.trust.v1", schema: TrustFile },
];
