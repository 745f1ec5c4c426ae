/** Tables in DuckDB as a source of answers. */
import type { EngineTables, NamedValues, SelectAnswer } from "@bridle/market";
import { sqlTexts } from "../texts.generated.js";
import { boundTo } from "../templates/values.js";
import { factsFrom } from "./facts.js";
import type { QuestionSource, SourceFacts } from "./types.js";

export interface DuckSourceOptions {
  readonly tables: EngineTables;
  readonly kind: QuestionSource["kind"];
  readonly name: string;
  /** The hour that it is, for sources that are live; the hour after the last candle without it. */
  readonly asOfHour?: number;
  readonly why?: (table: string) => string | undefined;
  /** For tests: every statement that goes to the engine. */
  readonly heard?: (sql: string) => void;
}

export class DuckSource implements QuestionSource {
  readonly kind: QuestionSource["kind"];
  readonly name: string;
  readonly synthetic: boolean;
  readonly why?: (table: string) => string | undefined;
  private known: Promise<SourceFacts> | undefined;

  constructor(private readonly options: DuckSourceOptions) {
    this.kind = options.kind;
    this.name = options.name;
    this.synthetic = options.tables.synthetic;
    if (options.why !== undefined) this.why = options.why;
  }

  get sources() {
    return this.options.tables.sources;
  }

  get engine() {
    return this.options.tables.engine;
  }

  facts(): Promise<SourceFacts> {
    return (this.known ??= factsFrom((template) => this.run(template, {}), this.options.asOfHour));
  }

  async run(template: string, values: NamedValues): Promise<SelectAnswer> {
    const sql = sqlTexts[template];
    if (sql === undefined) throw new Error(`there is no template ${template}`);
    this.options.heard?.(sql);
    return this.options.tables.ask(sql, boundTo(sql, values));
  }

  async close(): Promise<void> {
    await this.options.tables.close();
  }
}
