/**
 * The schema that Inspect publishes of its logs, where somebody has put it beside
 * the checkout, and as much of JSON Schema as it takes to hold a log against it.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { marketData } from "./market-data.js";

type Schema = Readonly<Record<string, unknown>>;
export type Schemas = Readonly<Record<string, Schema>>;

/** Undefined where it is not. */
export function inspectSchemas(): Schemas | undefined {
  const shared = marketData === undefined ? undefined : dirname(dirname(marketData));
  const path = shared && join(shared, "fixtures/inspect/inspect-openapi.json");
  if (path === undefined || !existsSync(path)) return undefined;
  const { components } = JSON.parse(readFileSync(path, "utf8")) as { components: { schemas: Schemas } };
  return components.schemas;
}

export function faultsOf(schemas: Schemas, name: string, value: unknown): string[] {
  return check(schemas, schemas[name] as Schema, value, "");
}

function check(schemas: Schemas, schema: Schema, value: unknown, at: string): string[] {
  const ref = schema["$ref"];
  if (typeof ref === "string")
    return check(schemas, schemas[ref.slice(ref.lastIndexOf("/") + 1)] as Schema, value, at);
  const choices = (schema["anyOf"] ?? schema["oneOf"]) as readonly Schema[] | undefined;
  if (choices !== undefined) {
    const fits = choices.some((choice) => check(schemas, choice, value, at).length === 0);
    return fits ? [] : [`${at} is none of what it may be`];
  }
  if ("const" in schema && schema["const"] !== value) return [`${at} is not ${String(schema["const"])}`];
  const allowed = schema["enum"] as readonly unknown[] | undefined;
  if (allowed !== undefined && !allowed.includes(value)) return [`${at} is none of ${allowed.join(", ")}`];
  return ofType(schemas, schema, value, at);
}

function ofType(schemas: Schemas, schema: Schema, value: unknown, at: string): string[] {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  switch (schema["type"]) {
    case "object":
      return isObject
        ? members(schemas, schema, value as Record<string, unknown>, at)
        : [`${at} is no object`];
    case "array":
      if (!Array.isArray(value)) return [`${at} is no list`];
      return value.flatMap((item, i) =>
        check(schemas, (schema["items"] ?? {}) as Schema, item, `${at}[${i}]`),
      );
    case "string":
      return typeof value === "string" ? [] : [`${at} is no text`];
    case "integer":
      return Number.isInteger(value) ? [] : [`${at} is no whole number`];
    case "number":
      return typeof value === "number" ? [] : [`${at} is no number`];
    case "boolean":
      return typeof value === "boolean" ? [] : [`${at} is neither true nor false`];
    case "null":
      return value === null ? [] : [`${at} is not null`];
    default:
      return [];
  }
}

function members(schemas: Schemas, schema: Schema, value: Record<string, unknown>, at: string): string[] {
  const properties = (schema["properties"] ?? {}) as Schemas;
  const missing = ((schema["required"] ?? []) as readonly string[])
    .filter((name) => !(name in value))
    .map((name) => `${at}.${name} is missing`);
  const known = Object.entries(value).flatMap(([name, member]) =>
    name in properties ? check(schemas, properties[name] as Schema, member, `${at}.${name}`) : [],
  );
  return [...missing, ...known];
}
