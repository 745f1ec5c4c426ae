/**
 * A tool of one's own, with its arguments typed by its schema:
 *
 *     export default tool({
 *       name: "count_words",
 *       description: "Counts the words of a text.",
 *       parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
 *       run: ({ text }) => `${text.split(/\s+/).length} words`,
 *     });
 *
 * It gives back what it is given: a module that cannot import Bridle exports the object itself.
 */
export interface ToolContext {
  /** Aborted when the call is given up. */
  readonly signal: AbortSignal;
  /** The project's folder, absolute; also the folder that the tool runs in. */
  readonly root: string;
}

interface PropertySchema {
  readonly type?: "string" | "number" | "integer" | "boolean" | "array" | "object";
  readonly description?: string;
  readonly enum?: readonly (string | number)[];
  readonly items?: PropertySchema;
}

export interface ParametersSchema {
  readonly type: "object";
  readonly properties?: Readonly<Record<string, PropertySchema>>;
  readonly required?: readonly string[];
}

type ValueOf<Schema> = Schema extends { readonly enum: readonly (infer Value)[] }
  ? Value
  : Schema extends { readonly type: "string" }
    ? string
    : Schema extends { readonly type: "number" | "integer" }
      ? number
      : Schema extends { readonly type: "boolean" }
        ? boolean
        : Schema extends { readonly type: "array"; readonly items: infer Item }
          ? readonly ValueOf<Item>[]
          : unknown;

type Required<Schema> = Schema extends { readonly required: readonly (infer Name)[] } ? Name : never;

export type ArgumentsOf<Schema> = Schema extends { readonly properties: infer Properties }
  ? { readonly [Name in keyof Properties & Required<Schema>]: ValueOf<Properties[Name]> } & {
      readonly [Name in Exclude<keyof Properties, Required<Schema>>]?: ValueOf<Properties[Name]>;
    }
  : Readonly<Record<string, never>>;

export interface OwnTool<Schema extends ParametersSchema = ParametersSchema> {
  /** Small letters, digits and `_`. The agent calls it `own_<name>`. */
  readonly name: string;
  readonly description: string;
  readonly parameters?: Schema;
  /** Asked for every time, even where it is approved in advance. */
  readonly destructive?: boolean;
  /** What it returns is what the model reads; what it throws is an error that the model reads. */
  run(args: ArgumentsOf<Schema>, context: ToolContext): unknown;
}

export function tool<const Schema extends ParametersSchema>(definition: OwnTool<Schema>): OwnTool<Schema> {
  return definition;
}
