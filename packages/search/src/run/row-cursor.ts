/** One file of a run, row after row: each of the right shape, none left out, a torn one at the end noticed. */
import { join } from "node:path";
import { sentencesAbout } from "@bridle/operation";
import {
  type Batch,
  codeOf,
  damageKinds,
  failureAt,
  type JsonObject,
  type OpenFile,
  type Ports,
  type ScanEnd,
  scanBatches,
} from "@bridle/record";
import type { TObject } from "typebox";
import { Compile, type Validator } from "typebox/schema";
import { runDamaged } from "./manifest.js";
import type { RunFile } from "./types.js";

export interface Recorded<Record> {
  readonly record: Record;
  /** As it stands in the file. */
  readonly text: string;
  readonly place: { readonly file: RunFile; readonly line: number };
}

const validators = new Map<TObject, Validator>();

export class RowCursor {
  /** Whether the file ends in a row that was never finished. */
  torn = false;
  private rows: Recorded<JsonObject>[] = [];
  private at = 0;
  private line = 1;
  private ended = false;
  private readonly batches: AsyncGenerator<Batch, ScanEnd, undefined>;
  private readonly validator: Validator;

  private constructor(
    private readonly name: RunFile,
    private readonly schema: TObject,
    private readonly file: OpenFile,
    size: number,
  ) {
    // Up to here and no further: somebody may be writing it.
    this.batches = scanBatches(file, { until: size });
    const known = validators.get(schema);
    this.validator = known ?? (Compile(schema) as Validator);
    validators.set(schema, this.validator);
  }

  /** Undefined when there is no file. */
  static async open(options: {
    readonly folder: string;
    readonly name: RunFile;
    readonly schema: TObject;
    readonly ports: Ports;
  }): Promise<RowCursor | undefined> {
    const path = join(options.folder, options.name);
    try {
      const file = await options.ports.files.open(path, "read");
      return new RowCursor(options.name, options.schema, file, (await file.stat()).size);
    } catch (error) {
      if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined;
      throw failureAt(path, error);
    }
  }

  /** The next row where it is at hand; undefined says nothing about the end. */
  peek<T>(): Recorded<T> | undefined {
    return this.rows[this.at] as Recorded<T> | undefined;
  }

  /** The next row; undefined at the end. */
  async fill<T>(): Promise<Recorded<T> | undefined> {
    while (this.at === this.rows.length && !this.ended) await this.readOn();
    return this.peek<T>();
  }

  skip(): void {
    this.at++;
  }

  async next<T>(): Promise<Recorded<T> | undefined> {
    const row = this.peek<T>() ?? (await this.fill<T>());
    if (row !== undefined) this.at++;
    return row;
  }

  async close(): Promise<void> {
    await this.batches.return({ byte: 0, line: 0, unfinishedBytes: 0 });
    await this.file.close();
  }

  private async readOn(): Promise<void> {
    const { done, value } = await this.batches.next();
    this.rows = [];
    this.at = 0;
    if (done === true) {
      this.ended = true;
      this.torn = value.unfinishedBytes > 0;
      this.requireLine(value.line);
      return;
    }
    for (const entry of value.entries) {
      this.requireLine(entry.line);
      const place = { file: this.name, line: entry.line };
      if (entry.kind === "damage") throw runDamaged(place, damageKinds[entry.damage]);
      if (entry.kind !== "row") continue;
      if (!this.validator.Check(entry.row))
        throw runDamaged(place, sentencesAbout(this.schema, entry.row)[0] ?? "it does not fit its schema");
      this.rows.push({ record: entry.row, text: entry.text, place });
      this.line++;
    }
  }

  private requireLine(line: number): void {
    if (line !== this.line) throw runDamaged({ file: this.name, line: this.line }, "the line is blank");
  }
}
