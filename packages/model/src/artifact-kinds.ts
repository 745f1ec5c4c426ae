/** What this room writes or reads, each with its schema; `npm run schemas` publishes them. */
import type { TSchema } from "typebox";
import { CredentialsSchema, credentialsKind } from "./auth/credentials.js";
import { ModelsFileSchema } from "./choice/settings.js";
import { tapeKind } from "./tape/row.js";
import { TapeRowSchema } from "./tape/schema.js";

export const artifactKinds: readonly { readonly kind: string; readonly schema: TSchema }[] = [
  { kind: tapeKind, schema: TapeRowSchema },
  { kind: credentialsKind, schema: CredentialsSchema },
  { kind: "bridle.models.v1", schema: ModelsFileSchema },
];
