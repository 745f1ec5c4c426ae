/**
 * What one property of an input schema means to the surfaces: its flag, its
 * kind, its choices.
 *
 * Works on plain JSON Schema, so that it reads an operation's TypeBox schema and
 * the manifest's copy of it alike; the command line has only the latter.
 */
import { isJsonObject, type JsonObject, type JsonPrimitive, type JsonValue } from "@bridle/record";

/** How a value is written on a command line. `json` is anything that has no simpler form. */
export type ValueKind = "string" | "integer" | "number" | "boolean" | "json";

export interface Property {
  readonly name: string;
  /** Without dashes. */
  readonly flag: string;
  /** Place among the positional arguments; undefined when it is only a flag. */
  readonly position: number | undefined;
  /** Words of a command below this one are not taken for its value; see `x-yields`. */
  readonly yields: boolean;
  /** Kind of the value, or of each item of a list. */
  readonly kind: ValueKind;
  /** Given once per item. */
  readonly list: boolean;
  readonly required: boolean;
  /** The only values allowed, where the schema names them. */
  readonly choices: readonly JsonPrimitive[] | undefined;
  readonly description: string;
  readonly placeholder: string;
  /** Whether the value is a file or folder, or the folder of a memory; see `x-path`. */
  readonly path: "path" | "root" | undefined;
  /** For the one who sits at this machine: a caller from elsewhere cannot give it. */
  readonly commandLineOnly: boolean;
  readonly default: JsonValue | undefined;
  /** What the flag means when no value follows it. */
  readonly bare: string | undefined;
  /** One letter that stands for the flag, without its dash. */
  readonly short: string | undefined;
  /** Values that people type, and the members of the input that each stands for. */
  readonly means: Readonly<Record<string, JsonObject>>;
}

/** The properties of an object schema, in the order they were declared. */
export function propertiesOf(schema: object): Property[] {
  const { properties, required } = schema as { properties?: unknown; required?: unknown };
  if (!isJsonObject(properties)) return [];
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.entries(properties).map(([name, value]) =>
    propertyOf(name, isJsonObject(value) ? value : {}, needed.has(name)),
  );
}

function propertyOf(name: string, schema: JsonObject, required: boolean): Property {
  const list = schema["type"] === "array";
  const item = list && isJsonObject(schema["items"]) ? schema["items"] : schema;
  const flag = schema["x-flag"];
  const position = schema["x-position"];
  const placeholder = schema["x-placeholder"];
  const description = schema["description"];
  const bare = schema["x-bare"];
  const kind = kindOf(item);
  return {
    name,
    flag: typeof flag === "string" ? flag : kebabCase(name),
    position: typeof position === "number" ? position : undefined,
    yields: schema["x-yields"] === true,
    kind,
    list,
    required,
    choices: choicesOf(item),
    description: typeof description === "string" ? description : "",
    placeholder: typeof placeholder === "string" ? placeholder : defaultPlaceholder(kind),
    path: schema["x-path"] === "root" ? "root" : schema["x-path"] === true ? "path" : undefined,
    commandLineOnly: schema["x-cli-only"] === true,
    default: schema["default"],
    bare: typeof bare === "string" ? bare : undefined,
    short: typeof schema["x-short"] === "string" ? schema["x-short"] : undefined,
    means: meaningsIn(schema["x-means"]),
  };
}

function meaningsIn(value: JsonValue | undefined): Readonly<Record<string, JsonObject>> {
  if (!isJsonObject(value)) return {};
  const entries = Object.entries(value).flatMap(([word, members]) =>
    isJsonObject(members) ? [[word, members] as const] : [],
  );
  return Object.fromEntries(entries);
}

/** `--issue-id`, or `<issue-id>` where the command line takes it by position. */
export function commandLineName(property: Property): string {
  return property.position === undefined ? `--${property.flag}` : `<${property.flag}>`;
}

export function kebabCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1-$2")
    .replace(/_/g, "-")
    .toLowerCase();
}

function choicesOf(schema: JsonObject): readonly JsonPrimitive[] | undefined {
  if (Array.isArray(schema["enum"])) return schema["enum"].filter(isPrimitive);
  if (isPrimitive(schema["const"])) return [schema["const"]];
  const options = schema["anyOf"];
  if (!Array.isArray(options)) return undefined;
  const choices: JsonPrimitive[] = [];
  for (const option of options) {
    const found = isJsonObject(option) ? choicesOf(option) : undefined;
    if (!found) return undefined;
    choices.push(...found);
  }
  return choices;
}

function kindOf(schema: JsonObject): ValueKind {
  const choices = choicesOf(schema);
  if (choices?.length) {
    if (choices.every((choice) => typeof choice === "string")) return "string";
    if (choices.every((choice) => typeof choice === "number")) return "number";
  }
  switch (schema["type"]) {
    case "string":
    case "integer":
    case "number":
    case "boolean":
      return schema["type"];
    default:
      return "json";
  }
}

function defaultPlaceholder(kind: ValueKind): string {
  switch (kind) {
    case "string":
      return "text";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "true|false";
    case "json":
      return "json";
  }
}

function isPrimitive(value: JsonValue | undefined): value is JsonPrimitive {
  return (
    value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean"
  );
}
