/** How files of market data are named on the command line, and what is said about their columns and times. */
import type { FieldNames, SourceFile } from "@bridle/market";
import { fields } from "@bridle/market";
import { nearest } from "@bridle/operation";
import { refuse, type Refusal } from "@bridle/record";
import * as Type from "typebox";

export const dataInput = {
  columns: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      "x-placeholder": "field=name,…",
      description:
        "What columns are called in the files, as in time=ts,close=c; several with commas between, or given more than once.",
    }),
  ),
  zone: Type.Optional(
    Type.Enum(["UTC"], {
      description: "What a time without a zone means; without it such a time is refused.",
    }),
  ),
} as const;

export interface DataInput {
  readonly columns?: readonly string[];
  readonly zone?: "UTC";
}

/** `paths` are absolute. */
export function sourceFilesOf(paths: readonly string[], input: DataInput): readonly SourceFile[] | Refusal {
  const columns = columnsOf(input.columns ?? []);
  if ("refused" in columns) return columns as Refusal;
  return paths.map((path) => ({
    path,
    columns: columns as FieldNames,
    ...(input.zone === undefined ? {} : { zone: input.zone }),
  }));
}

function columnsOf(given: readonly string[]): FieldNames | Refusal {
  const names: Record<string, string> = {};
  for (const pair of given.flatMap((text) => text.split(","))) {
    const [field = "", name = "", ...rest] = pair.trim().split("=");
    if (!(fields as readonly string[]).includes(field) || name === "" || rest.length > 0) {
      const near = nearest(field, fields);
      return refuse("input_invalid", {
        message: `--columns: ${JSON.stringify(pair)} is no field and the name of its column`,
        hint: `Write it as in time=ts,close=c${near === undefined ? `; the fields are ${fields.join(", ")}` : `; did you mean ${near}?`}`,
      });
    }
    names[field] = name;
  }
  return names;
}
