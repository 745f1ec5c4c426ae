/**
 * snake_case spellings of camelCase arguments, for clients that learnt them from
 * the original server (`issue_id` for `issueId`).
 *
 * Only where it cannot mean anything else: a spelling that is itself an argument,
 * or that two arguments would share, is left alone, and so is one that is given
 * beside the proper name. What is left alone reaches the schema, which refuses it.
 */
import { type JsonObject, isJsonObject } from "@bridle/record";

export function withProperNames(given: JsonObject, inputSchema: JsonObject): JsonObject {
  const proper = properNames(inputSchema);
  // fromEntries defines own properties, so that an argument named __proto__ stays an argument.
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const properName = proper.get(name);
      return properName === undefined || Object.hasOwn(given, properName)
        ? [name, value]
        : [properName, value];
    }),
  );
}

function properNames(inputSchema: JsonObject): Map<string, string> {
  const properties = isJsonObject(inputSchema.properties) ? Object.keys(inputSchema.properties) : [];
  const proper = new Map<string, string>();
  const ambiguous = new Set(properties);
  for (const name of properties) {
    const alias = snakeCase(name);
    if (alias === name) continue;
    if (proper.has(alias)) ambiguous.add(alias);
    proper.set(alias, name);
  }
  for (const alias of ambiguous) proper.delete(alias);
  return proper;
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
