/**
 * The parameters of a tool as a model is shown them: an object with these members and no others. TypeBox types it
 * more closely than JSON, and it is JSON all the same.
 */
import type { JsonObject } from "@bridle/record";
import * as Type from "typebox";

export function parametersOf(members: Type.TProperties): JsonObject {
  return Type.Object(members, { additionalProperties: false }) as unknown as JsonObject;
}

/** One of these texts. Some providers want to be told that they are texts. */
export function oneOf<Value extends string>(
  values: readonly Value[],
  options: { readonly default?: Value; readonly description?: string } = {},
) {
  return Type.Unsafe<Value>({ type: "string", enum: [...values], ...options });
}
