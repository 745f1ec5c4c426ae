/** What this room writes for others to read, each with its schema; `npm run schemas` publishes them. */
import type { TSchema } from "typebox";
import { artifactKinds as agentKinds } from "./agent/event-schema.js";
import { InitRecord, initRecordKind } from "./init/record.js";
import { artifactKinds as logKinds } from "./log/kinds.js";

export const artifactKinds: readonly { readonly kind: string; readonly schema: TSchema }[] = [
  ...logKinds,
  ...agentKinds,
  { kind: initRecordKind, schema: InitRecord },
];
