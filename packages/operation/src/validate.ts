/**
 * Checking a value against its schema, and saying in a sentence what is wrong.
 *
 * A schema is compiled when it is used for the second time, or for a long list: a
 * command uses it once, and compiling costs it a hundred times what the check of
 * one item does; a server uses it all day. `typebox/schema` is the same engine
 * as `typebox/compile` without what only decoding needs, which takes milliseconds
 * to load.
 */
import { isJsonObject, type JsonObject, type JsonValue, nearest, refuse, type Refusal } from "@bridle/record";
import { Check, Compile, Errors, type Validator } from "typebox/schema";
import { commandLineName, propertiesOf, type Property } from "./properties.js";
import type { Operation, Surface } from "./types.js";

const validators = new WeakMap<object, Validator | "used once">();

export async function fits(schema: object, value: unknown): Promise<boolean> {
  const known = validators.get(schema);
  if (known === undefined && !holdsLongList(value)) {
    validators.set(schema, "used once");
    return Check(schema, value);
  }
  if (known !== undefined && known !== "used once") return known.Check(value);
  const validator = Compile(schema) as Validator;
  validators.set(schema, validator);
  return validator.Check(value);
}

const longListItems = 64;

function holdsLongList(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  for (const name in value) {
    const member = value[name];
    if (Array.isArray(member) && member.length >= longListItems) return true;
  }
  return false;
}

/** The input as the operation may have it, or why not, in the words of the surface. */
export async function checkInput(
  operation: Operation,
  input: unknown,
  surface: Surface,
): Promise<Refusal | undefined> {
  const problems = (await fits(operation.input, input))
    ? notForSurface(operation.input, input as JsonObject, surface)
    : problemsOf(operation.input, input, surface);
  if (problems.length === 0) return undefined;
  const shown = problems.slice(0, 3).map(({ says }) => says);
  const more = problems.length - shown.length;
  return refuse(operation.invalidInput ?? "input_invalid", {
    message: shown.join("; ") + (more > 0 ? `; and ${more} more` : ""),
    hint: hintFor(operation, surface),
    detail: { problems: problems.map(({ property, says }) => ({ property, says })) },
  });
}

function notForSurface(schema: object, input: JsonObject, surface: Surface): Problem[] {
  if (surface === "cli") return [];
  return propertiesOf(schema)
    .filter(({ name, commandLineOnly }) => commandLineOnly && Object.hasOwn(input, name))
    .map(({ name }) => ({ property: name, says: `${name} can only be given on the command line` }));
}

/** What is wrong with an operation's own output, for the one who wrote it. */
export async function checkOutput(operation: Operation, payload: unknown): Promise<Refusal | undefined> {
  if (await fits(operation.output, payload)) return undefined;
  const problems = problemsOf(operation.output, payload, "mcp");
  return refuse("operation_output_invalid", {
    message: `${operation.names.action} ran, but its answer breaks its own schema: ${problems[0]?.says ?? "unknown"}`,
    hint: "This is a bug in Bridle; what the operation did stands.",
    detail: { problems: problems.map(({ property, says }) => ({ property, says })) },
  });
}

/** What is wrong with a value, a sentence each; nothing when it fits. */
export function sentencesAbout(schema: object, value: unknown): string[] {
  return problemsOf(schema, value, "mcp").map(({ says }) => says);
}

function hintFor(operation: Operation, surface: Surface): string {
  if (surface !== "cli") return `See the input schema of ${operation.names.tool}.`;
  return `See \`${operation.family} ${operation.names.command.join(" ")} --help\`.`;
}

interface Problem {
  readonly property: string;
  readonly says: string;
}

interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** One problem a place: the errors of the branches of a union say nothing that the union does not. */
function problemsOf(schema: object, value: unknown, surface: Surface): Problem[] {
  if (!isJsonObject(value)) return [{ property: "", says: `expected an object, got ${describe(value)}` }];
  const [, errors] = Errors(schema, value) as [boolean, SchemaError[]];
  const context: Naming = { properties: propertiesOf(schema), surface };
  const problems = new Map<string, Problem>();
  for (const error of errors) {
    for (const problem of problemsIn(error, value, context)) {
      if (!problems.has(problem.property)) problems.set(problem.property, problem);
    }
  }
  return [...problems.values()];
}

interface Naming {
  readonly properties: readonly Property[];
  readonly surface: Surface;
}

function problemsIn(error: SchemaError, value: JsonObject, naming: Naming): Problem[] {
  const path = segmentsOf(error.instancePath);
  switch (error.keyword) {
    case "required":
      return stringsIn(error.params["requiredProperties"]).map((name) => {
        const named = nameOf([...path, name], naming);
        return { property: [...path, name].join("."), says: `${named} is missing` };
      });
    case "additionalProperties":
    case "unevaluatedProperties":
      return stringsIn(error.params["additionalProperties"] ?? error.params["unevaluatedProperties"]).map(
        (name) => ({
          property: [...path, name].join("."),
          says: unknownProperty(name, path, naming),
        }),
      );
    case "boolean":
      return [];
    default:
      return [{ property: path.join("."), says: wrongValue(error, path, value, naming) }];
  }
}

function unknownProperty(name: string, path: readonly string[], { properties }: Naming): string {
  const near =
    path.length === 0
      ? nearest(
          name,
          properties.map((property) => property.name),
        )
      : undefined;
  return `there is no property "${[...path, name].join(".")}"` + (near ? `; did you mean "${near}"?` : "");
}

function wrongValue(error: SchemaError, path: readonly string[], input: JsonObject, naming: Naming): string {
  const named = nameOf(path, naming);
  const value = valueAt(input, path);
  const choices = naming.properties.find(({ name }) => name === path[0])?.choices;
  if (choices && ["enum", "const", "anyOf", "type"].includes(error.keyword)) {
    const near = typeof value === "string" ? nearest(value, choices.map(String)) : undefined;
    return (
      `${named} is ${describe(value)}, expected ${anyOf(choices.map(String))}` +
      (near ? `; did you mean ${near}?` : "")
    );
  }
  const { limit, type } = error.params;
  switch (error.keyword) {
    case "type":
      return `${named} must be ${withArticle(String(type))}, got ${describe(value)}`;
    case "minLength":
      return limit === 1
        ? `${named} must not be empty`
        : `${named} must have at least ${String(limit)} characters`;
    case "maxLength":
      return `${named} must have at most ${String(limit)} characters`;
    case "minimum":
      return `${named} must be at least ${String(limit)}, got ${describe(value)}`;
    case "maximum":
      return `${named} must be at most ${String(limit)}, got ${describe(value)}`;
    default:
      return `${named} ${error.message}, got ${describe(value)}`;
  }
}

/** `--instruction-ref` on the command line, `instructionRefs[0]` elsewhere. */
function nameOf(path: readonly string[], { properties, surface }: Naming): string {
  const [first, ...rest] = path;
  if (first === undefined) return "the input";
  const property = properties.find(({ name }) => name === first);
  const inner = rest.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`)).join("");
  if (surface !== "cli" || !property) return first + inner;
  return commandLineName(property) + (property.list && rest.length === 1 ? "" : inner);
}

function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function withArticle(type: string): string {
  const plain: Readonly<Record<string, string>> = {
    string: "text",
    integer: "a whole number",
    number: "a number",
    boolean: "true or false",
    array: "a list",
    object: "an object",
    null: "null",
  };
  return plain[type] ?? type;
}

function anyOf(choices: readonly string[]): string {
  if (choices.length < 2) return choices[0] ?? "nothing";
  return `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;
}

function segmentsOf(pointer: string): string[] {
  if (pointer === "") return [];
  return pointer
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function valueAt(input: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = input;
  for (const part of path) {
    if (Array.isArray(value)) value = value[Number(part)];
    else if (isJsonObject(value)) value = value[part];
    else return undefined;
  }
  return value;
}

function stringsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
