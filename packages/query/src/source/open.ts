/** Opening a source: made up, from files, from the exchange, or BigQuery; everything but the last ends in DuckDB. */
import {
  type EngineTables,
  fillSynthetic,
  InfoClient,
  loadFiles,
  openEngine,
  openWarehouse,
} from "@bridle/market";
import { Failure, type Ports } from "@bridle/record";
import { basename } from "node:path";
import type { Plan } from "../ask.js";
import { DuckSource } from "./duck.js";
import { loadNeeded } from "./info.js";
import { at, type SourceSpec, syntheticDefault } from "./spec.js";
import type { QuestionSource } from "./types.js";
import { WarehouseSource } from "./warehouse.js";

export interface Opening {
  readonly spec: SourceSpec;
  readonly ports: Ports;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
  readonly threads?: number;
  readonly heard?: (sql: string) => void;
}

export async function openSource(plan: Plan, opening: Opening): Promise<QuestionSource> {
  const { spec, ports, cwd, signal, threads = 1, heard } = opening;
  switch (spec.kind) {
    case "synthetic": {
      const builder = await openEngine({ threads });
      fillSynthetic(syntheticDefault, builder);
      const tables = await builder.finish();
      return new DuckSource({
        tables,
        kind: "synthetic",
        name: tables.sources[0]?.name ?? "the synthetic market",
        ...(heard === undefined ? {} : { heard }),
      });
    }
    case "files": {
      const tables = await loadFiles({
        files: spec.paths.map((path) => ({ path: at(cwd, path) })),
        builder: await openEngine({ threads }),
        ports,
        ...(signal === undefined ? {} : { signal }),
      });
      return new DuckSource({
        tables: tables as EngineTables,
        kind: "files",
        name: spec.paths.map((path) => basename(path)).join(", "),
        ...(heard === undefined ? {} : { heard }),
      });
    }
    case "info": {
      const client = new InfoClient({
        clock: ports.clock,
        url: spec.url,
        ...(signal === undefined ? {} : { signal }),
      });
      return loadNeeded(plan, {
        client,
        nowMs: await ports.clock.now(),
        builder: await openEngine({ threads }),
      });
    }
    case "bigquery": {
      const project = opening.env["HLQ_BIGQUERY_PROJECT"];
      const dataset = opening.env["HLQ_BIGQUERY_DATASET"];
      if (project === undefined || dataset === undefined || project === "" || dataset === "") {
        throw new Failure("query_source_invalid", {
          message: "--source bigquery needs HLQ_BIGQUERY_PROJECT and HLQ_BIGQUERY_DATASET",
          hint: "Set both; credentials are Google's own (gcloud auth application-default login).",
        });
      }
      return new WarehouseSource(
        await openWarehouse({
          project,
          dataset,
          ...(opening.maxBytes === undefined ? {} : { maxBytes: opening.maxBytes }),
        }),
      );
    }
    default:
      return spec satisfies never;
  }
}
