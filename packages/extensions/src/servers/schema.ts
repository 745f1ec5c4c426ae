/**
 * A server's schema of arguments, made into one of ours: bounded and closed.
 *
 * What a newcomer gets wrong: it is built anew from a list of what may stand there. Patterns
 * are left out, for ours would run them, and so is what would steer a terminal; references
 * are put in their place; what is too deep, too many or not known allows anything, because
 * the server looks at its arguments itself.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "@bridle/record";
import { visible } from "@bridle/operation";
import { extensionLimits } from "../limits.js";

const types = ["object", "array", "string", "number", "integer", "boolean", "null"];
const numbers = [
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength"],
  ...["minItems", "maxItems"],
];
const textCharsMax = 500;
const membersMax = 100;

/** Undefined where it is too large, or is no object's. */
export function boundedSchema(schema: JsonValue | undefined): JsonObject | undefined {
  if (schema !== undefined && !isJsonObject(schema)) return undefined;
  const root = schema ?? {};
  if (root["type"] !== undefined && root["type"] !== "object") return undefined;
  if (isJsonObject(root["properties"]) && Object.keys(root["properties"]).length > membersMax)
    return undefined;
  const { properties, required, description } = new Bounded(root).part(root, 0) as JsonObject;
  const bounded: JsonObject = {
    type: "object",
    ...(description === undefined ? {} : { description }),
    properties: properties ?? {},
    ...(required === undefined ? {} : { required }),
    additionalProperties: false,
  };
  return JSON.stringify(bounded).length > extensionLimits.schemaCharsMax ? undefined : bounded;
}

class Bounded {
  constructor(private readonly root: JsonObject) {}

  part(given: JsonValue | undefined, depth: number): JsonObject {
    const schema = this.resolved(given);
    if (schema === undefined || depth > extensionLimits.schemaDepthMax) return {};
    return {
      ...kindOf(schema),
      ...texts(schema),
      ...bounds(schema),
      ...this.values(schema),
      ...this.members(schema, depth),
      ...this.items(schema, depth),
      ...this.choices(schema, depth),
    };
  }

  private resolved(given: JsonValue | undefined): JsonObject | undefined {
    if (!isJsonObject(given)) return undefined;
    const { $ref: ref, ...rest } = given;
    if (typeof ref !== "string") return given;
    const [, where, name = ""] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(ref) ?? [];
    const definitions = where === undefined ? undefined : this.root[where];
    const found =
      isJsonObject(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
    return isJsonObject(found) && found["$ref"] === undefined ? { ...found, ...rest } : undefined;
  }

  private values({ enum: among, const: exactly }: JsonObject): JsonObject {
    return {
      ...(Array.isArray(among) && among.length > 0 && among.length <= membersMax && among.every(isPlain)
        ? { enum: among }
        : {}),
      ...(exactly !== undefined && isPlain(exactly) ? { const: exactly } : {}),
    };
  }

  /** Closed where it names its members and does not say that there may be others. */
  private members(
    { properties, required, additionalProperties: more }: JsonObject,
    depth: number,
  ): JsonObject {
    if (!isJsonObject(properties))
      return isJsonObject(more) ? { additionalProperties: this.part(more, depth + 1) } : {};
    const entries = Object.entries(properties).filter(([name]) => isPlain(name));
    if (entries.length > membersMax) return {};
    const names = new Set(entries.map(([name]) => name));
    const needed = Array.isArray(required)
      ? required.filter((name) => typeof name === "string" && names.has(name))
      : [];
    const open = depth > 0 && (more === true || isJsonObject(more));
    return {
      properties: Object.fromEntries(entries.map(([name, each]) => [name, this.part(each, depth + 1)])),
      ...(needed.length === 0 ? {} : { required: needed }),
      ...(open ? {} : { additionalProperties: false }),
    };
  }

  private items({ items }: JsonObject, depth: number): JsonObject {
    return isJsonObject(items) ? { items: this.part(items, depth + 1) } : {};
  }

  /** One of several; that several hold at once is left to the server. */
  private choices({ anyOf, oneOf }: JsonObject, depth: number): JsonObject {
    const among = anyOf ?? oneOf;
    if (!Array.isArray(among) || among.length === 0 || among.length > 20) return {};
    return { anyOf: among.map((each) => this.part(each, depth + 1)) };
  }
}

function kindOf({ type }: JsonObject): JsonObject {
  const known = (each: JsonValue) => typeof each === "string" && types.includes(each);
  if (type === undefined) return {};
  const fine = Array.isArray(type) ? type.length > 0 && type.every(known) : known(type);
  return fine ? { type } : {};
}

function texts({ title, description, default: usual }: JsonObject): JsonObject {
  const said = typeof description === "string" ? description : title;
  return {
    ...(typeof said === "string" ? { description: visible(said).slice(0, textCharsMax) } : {}),
    ...(usual !== undefined && isPlain(usual) ? { default: usual } : {}),
  };
}

/** No object, and no text that is long or hides something. */
function isPlain(value: JsonValue): boolean {
  if (typeof value === "string") return value.length <= textCharsMax && visible(value) === value;
  return value === null || typeof value !== "object";
}

function bounds(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    numbers.flatMap((name) => {
      const value = schema[name];
      return typeof value === "number" && Number.isFinite(value) ? [[name, value] as const] : [];
    }),
  );
}
