/** What this room writes that stands on its own, for schemas/. */
import type { TSchema } from "typebox";
import { AllowFile } from "./allow/allow.js";

export const artifactKinds: readonly { readonly kind: string; readonly schema: TSchema }[] = [
  { kind: "bridle.allow.v1", schema: AllowFile },
];
