/**
 * Files into tables: what each file is, is told by its name and its columns, or by
 * the caller.
 *
 * All or nothing: a row that cannot be read ends the load with the file and line,
 * because tables with a silent hole would give other answers tomorrow.
 */
import { basename } from "node:path";
import { Failure, type Ports } from "@bridle/record";
import { marketLimits } from "../limits.js";
import type { MarketSource, MarketTables, TableBuilder, TableName } from "../types.js";
import { FileBytes, type Packing, type SourceBytes } from "./bytes.js";
import type { SourceColumns } from "../check/checking-builder.js";
import { columnsUsed, type Field, type FieldNames, matchColumns, tablesOf } from "./columns.js";
import { csvRecords } from "./csv.js";
import { jsonFields, takeNodeFills } from "./jsonl.js";
import { linesOf } from "./lines.js";
import { readParquet } from "./parquet.js";
import { RowMaker } from "./rows.js";

export interface SourceFile {
  /** Absolute. */
  readonly path: string;
  /** What it is called in sources and messages; its name without the folder when left out. */
  readonly name?: string;
  /** By the ending of the name when left out: .csv, .jsonl or .ndjson, .parquet; .gz or .lz4 may follow. */
  readonly format?: "csv" | "jsonl" | "parquet";
  /** `node_fills` is how the exchange's nodes write fills, always as JSON lines; everything else is a table. */
  readonly layout?: "table" | "node_fills";
  /** For a file that is all about one market and has no column for it. */
  readonly market?: string;
  /** Where the file names its columns in a way that is not known, e.g. `{ rate: "fr_1h" }`. */
  readonly columns?: FieldNames;
  /** By the columns when left out. */
  readonly tables?: readonly TableName[];
  /** True only for facts that somebody made up. */
  readonly synthetic?: boolean;
  /** What a time without a zone means; without it such a time is refused. */
  readonly zone?: "UTC";
}

export interface LoadOptions {
  readonly files: readonly SourceFile[];
  readonly builder: TableBuilder;
  readonly ports: Pick<Ports, "files">;
  readonly signal?: AbortSignal;
  readonly chunkBytes?: number;
  /** Told once for each source, before its rows. */
  readonly onColumns?: (columns: SourceColumns) => void;
}

/** Contract: throws `Failure` and has then discarded the builder. */
export async function loadFiles({ files, builder, ...options }: LoadOptions): Promise<MarketTables> {
  try {
    for (const file of files) await loadFile(file, builder, options);
    return await builder.finish();
  } catch (error) {
    await builder.discard();
    throw error;
  }
}

type FileOptions = Omit<LoadOptions, "files" | "builder">;

async function loadFile(file: SourceFile, builder: TableBuilder, options: FileOptions): Promise<void> {
  const { format, packing } = kindOf(file);
  const { onColumns } = options;
  const reading = { ...options, path: file.path, files: options.ports.files };
  const load = { csv: loadCsv, jsonl: loadJsonl, parquet: loadParquet }[format];
  const { rows, bytes, numbers = "decimal" } = await load({ file, builder, reading, packing, onColumns });
  const source: MarketSource = {
    name: nameOf(file),
    kind: format,
    sha256: bytes.sha256,
    bytes: bytes.bytes,
    rows,
    numbers,
    synthetic: file.synthetic === true,
  };
  builder.source(source);
}

interface Loading {
  readonly file: SourceFile;
  readonly builder: TableBuilder;
  readonly reading: ConstructorParameters<typeof FileBytes>[0];
  readonly packing: Packing;
  readonly onColumns: LoadOptions["onColumns"];
}

interface Loaded {
  readonly rows: number;
  readonly bytes: SourceBytes;
  readonly numbers?: MarketSource["numbers"];
}

async function loadCsv({ file, builder, reading, packing, onColumns }: Loading): Promise<Loaded> {
  const source = nameOf(file);
  const bytes = new FileBytes(reading);
  let maker: RowMaker | undefined;
  let places = new Map<Field, number>();
  for await (const records of csvRecords(linesOf(bytes.unpacked(packing), source), source)) {
    for (const { line, fields } of records) {
      if (maker === undefined) {
        const names = fields.map((name) => name.trim());
        const matched = matchColumns(names, file.columns ?? {}, source);
        places = new Map([...matched].map(([field, name]) => [field, names.indexOf(name)]));
        onColumns?.({ source, ...columnsUsed(names, matched) });
        maker = makerFor(file, matched, builder);
        continue;
      }
      maker.take(
        (field) => {
          const at = places.get(field);
          return at === undefined ? undefined : fields[at];
        },
        { source, line },
      );
    }
  }
  if (maker === undefined) throw empty(source);
  return { rows: maker.rows, bytes: bytes.total };
}

async function loadJsonl({ file, builder, reading, packing, onColumns }: Loading): Promise<Loaded> {
  const source = nameOf(file);
  const bytes = new FileBytes(reading);
  const makers = new Map<
    string,
    { readonly maker: RowMaker; readonly matched: ReadonlyMap<Field, string> }
  >();
  let fills = 0;
  for await (const { first, texts } of linesOf(bytes.unpacked(packing), source)) {
    for (let i = 0; i < texts.length; i++) {
      const [line, place] = [texts[i] as string, { source, line: first + i }];
      if (line.trim() === "") continue;
      if (file.layout === "node_fills") {
        fills += takeNodeFills(line, place, builder);
        continue;
      }
      const members = jsonFields(line, place);
      // Members that a line does not have are absent in it, so lines may differ in what they have.
      const shape = [...members.keys()].join("\n");
      let known = makers.get(shape);
      if (known === undefined) {
        const matched = matchColumns([...members.keys()], presentOf(file.columns, members), source);
        onColumns?.({ source, ...columnsUsed([...members.keys()], matched) });
        known = { matched, maker: makerFor(file, matched, builder) };
        makers.set(shape, known);
      }
      const { maker, matched } = known;
      maker.take((field) => members.get(matched.get(field) ?? ""), place);
    }
  }
  const rows = [...makers.values()].reduce((sum, { maker }) => sum + maker.rows, fills);
  if (bytes.total.bytes === 0) throw empty(source);
  return { rows, bytes: bytes.total };
}

async function loadParquet({ file, builder, reading, packing, onColumns }: Loading): Promise<Loaded> {
  const source = nameOf(file);
  if (packing !== "none") {
    throw new Failure("market_source_invalid", {
      message: `${source}: a packed Parquet file cannot be read`,
      hint: "Unpack it first; Parquet packs its own columns.",
    });
  }
  const before = await bytesOf(reading);
  let maker: RowMaker | undefined;
  const { numbers } = await readParquet({
    path: file.path,
    source,
    zoned: file.zone === "UTC",
    match(names) {
      const matched = matchColumns(names, file.columns ?? {}, source);
      onColumns?.({ source, ...columnsUsed(names, matched) });
      return matched;
    },
    take(matched, textOf, line) {
      if (line % marketLimits.appendRowsPerChunk === 0) reading.signal?.throwIfAborted();
      maker ??= makerFor(file, matched, builder);
      maker.take(textOf, { source, line });
    },
  });
  const after = await bytesOf(reading);
  if (after.sha256 !== before.sha256) {
    throw new Failure("market_source_changed", {
      message: `${source} changed while it was being read`,
      hint: "Load it again once nobody writes to it.",
    });
  }
  return { rows: maker?.rows ?? 0, bytes: before, numbers };
}

async function bytesOf(reading: Loading["reading"]): Promise<SourceBytes> {
  const bytes = new FileBytes(reading);
  for await (const _ of bytes.chunks());
  return bytes.total;
}

function nameOf({ path, name }: SourceFile): string {
  return name ?? basename(path);
}

function makerFor(file: SourceFile, matched: ReadonlyMap<Field, string>, builder: TableBuilder): RowMaker {
  const tables = file.tables ?? tablesOf(matched, nameOf(file));
  const zoneless = file.zone === "UTC" ? "utc" : "refused";
  return new RowMaker(
    { tables, zoneless, ...(file.market === undefined ? {} : { market: file.market }) },
    builder,
  );
}

function presentOf(columns: FieldNames | undefined, members: ReadonlyMap<string, string>): FieldNames {
  return Object.fromEntries(Object.entries(columns ?? {}).filter(([, name]) => members.has(name)));
}

function kindOf({ path, format, layout }: SourceFile): {
  readonly format: "csv" | "jsonl" | "parquet";
  readonly packing: Packing;
} {
  const name = basename(path).toLowerCase();
  const packing: Packing = name.endsWith(".gz") ? "gzip" : name.endsWith(".lz4") ? "lz4" : "none";
  const bare = packing === "none" ? name : name.slice(0, name.lastIndexOf("."));
  const ending = bare.slice(bare.lastIndexOf(".") + 1);
  const told =
    format ??
    (layout === "node_fills" ? "jsonl" : undefined) ??
    { csv: "csv" as const, jsonl: "jsonl" as const, ndjson: "jsonl" as const, parquet: "parquet" as const }[
      ending
    ];
  if (told !== undefined) return { format: told, packing };
  throw new Failure("market_source_invalid", {
    message: `${basename(path)} does not say by its name what kind of file it is`,
    hint: "Name it .csv, .jsonl or .parquet, or say its format.",
  });
}

function empty(source: string): Failure {
  return new Failure("market_source_invalid", {
    message: `${source} is empty`,
    hint: "Fetch it again, or leave it out.",
  });
}
