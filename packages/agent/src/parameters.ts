/** A schema as what a model is shown: TypeBox types it more closely than JSON, and it is JSON all the same. */
import type { JsonObject } from "@bridle/record";
import type * as Type from "typebox";

export function parametersOf(schema: Type.TObject): JsonObject {
  return schema as unknown as JsonObject;
}
