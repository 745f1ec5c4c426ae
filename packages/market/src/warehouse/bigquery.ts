/**
 * BigQuery, and the only file that knows its client, which is loaded when it is
 * used and not before.
 *
 * Every question is put twice: first as a dry run, which costs nothing and says how
 * many bytes it would read, and only below the cap for real. The cap also goes with
 * the real request, so that Google itself refuses what the estimate had missed.
 */
import { Failure } from "@bridle/record";
import type { NamedValues, SelectAnswer, SqlValue } from "../engine/duckdb.js";
import { missingPackage } from "../missing-package.js";

export interface WarehouseOptions {
  readonly project: string;
  /** With the five tables and the view, as in `warehouseDdl`. */
  readonly dataset: string;
  readonly maxBytes?: number;
}

export interface Warehouse {
  readonly dataset: string;
  /** One SELECT in BigQuery's SQL, with parameters by name (@coins). */
  ask(sql: string, values: NamedValues): Promise<SelectAnswer>;
  /** What it would read. */
  estimate(sql: string, values: NamedValues): Promise<number>;
  close(): Promise<void>;
}

const defaultMaxBytes = 1_000_000_000;

export async function openWarehouse({
  project,
  dataset,
  maxBytes = defaultMaxBytes,
}: WarehouseOptions): Promise<Warehouse> {
  const { BigQuery } = await import("@google-cloud/bigquery").catch((error: unknown) =>
    missingPackage(error, {
      name: "@google-cloud/bigquery@8.3.1",
      message: "--source bigquery needs Google's client, which is not installed here",
    }),
  );
  const client = new BigQuery({ projectId: project });
  const request = (sql: string, values: NamedValues) => ({
    query: sql,
    ...parametersOf(values),
    defaultDataset: { projectId: project, datasetId: dataset },
    useLegacySql: false,
  });
  const estimate = async (sql: string, values: NamedValues): Promise<number> => {
    const [job] = await client.createQueryJob({ ...request(sql, values), dryRun: true }).catch(refused);
    const bytes = Number(
      (job.metadata as { statistics?: { totalBytesProcessed?: string } }).statistics?.totalBytesProcessed,
    );
    if (!Number.isFinite(bytes)) {
      throw new Failure("warehouse_refused", {
        message: "BigQuery's dry run did not say how many bytes would be read",
        hint: "Nothing was read.",
      });
    }
    return bytes;
  };
  return {
    dataset: `${project}.${dataset}`,
    estimate,
    async ask(sql, values) {
      const bytes = await estimate(sql, values);
      if (bytes > maxBytes) {
        throw new Failure("warehouse_over_cap", {
          message: `the question would read ${bytes} bytes of BigQuery, more than ${maxBytes}`,
          hint: "Ask for a shorter time or fewer coins, or raise --max-bytes.",
          detail: { bytes, maxBytes },
        });
      }
      const [job] = await client
        .createQueryJob({ ...request(sql, values), maximumBytesBilled: String(maxBytes) })
        .catch(refused);
      const [rows, , answer] = await job.getQueryResults({ wrapIntegers: false }).catch(refused);
      const schema = (answer as { schema?: { fields?: readonly { name?: string }[] } } | undefined)?.schema;
      const columns =
        schema?.fields?.map(({ name }) => String(name)) ?? Object.keys((rows[0] as object | undefined) ?? {});
      return {
        columns,
        rows: (rows as Record<string, unknown>[]).map((row) => columns.map((column) => plain(row[column]))),
      };
    },
    async close() {},
  };
}

/** The client cannot tell the type of a null or of an empty list, so every type is said. */
function parametersOf(values: NamedValues) {
  const params: Record<string, unknown> = {};
  const types: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(values)) {
    if (Array.isArray(value)) [params[name], types[name]] = [[...(value as string[])], ["STRING"]];
    else {
      const single = value as SqlValue;
      types[name] =
        typeof single === "bigint"
          ? "INT64"
          : typeof single === "string"
            ? "STRING"
            : typeof single === "boolean"
              ? "BOOL"
              : "FLOAT64";
      params[name] = typeof single === "bigint" ? Number(single) : single;
    }
  }
  return { params, types };
}

/** Decimals come as objects of their own; they print as decimals. */
function plain(value: unknown): string | number | boolean | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "string") return value;
  return String((value as { value?: unknown }).value ?? value);
}

function refused(error: unknown): never {
  const { code, message } = error as { code?: number | string; message?: string };
  const unreachable = typeof code === "string" && /^(?:E[A-Z]+|UND_ERR.*)$/.test(code);
  throw new Failure(
    unreachable
      ? "warehouse_unreachable"
      : /bytes billed/i.test(message ?? "")
        ? "warehouse_over_cap"
        : "warehouse_refused",
    {
      message: `BigQuery answered ${code ?? "with an error"}: ${(message ?? String(error)).slice(0, 300)}`,
      hint: unreachable
        ? "Check the network."
        : "Check HLQ_BIGQUERY_PROJECT, HLQ_BIGQUERY_DATASET and the rights of the account that is used.",
      cause: error,
    },
  );
}
