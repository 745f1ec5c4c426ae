/** BigQuery as a source of answers: the committed BigQuery text of each template, with the same values. */
import type { NamedValues, SelectAnswer, Warehouse } from "@bridle/market";
import { bigQueryTexts } from "../more-texts.generated.js";
import { sqlTexts } from "../texts.generated.js";
import { boundTo } from "../templates/values.js";
import { factsFrom } from "./facts.js";
import type { QuestionSource, SourceFacts } from "./types.js";

export class WarehouseSource implements QuestionSource {
  readonly kind = "bigquery";
  readonly synthetic = false;
  readonly sources = [];
  private known: Promise<SourceFacts> | undefined;

  constructor(private readonly warehouse: Warehouse) {}

  get name(): string {
    return `BigQuery ${this.warehouse.dataset}`;
  }

  get engine(): string {
    return "bigquery";
  }

  facts(): Promise<SourceFacts> {
    return (this.known ??= factsFrom((template) => this.run(template, {}), undefined));
  }

  async run(template: string, values: NamedValues): Promise<SelectAnswer> {
    const [duck, big] = [sqlTexts[template], bigQueryTexts[template]];
    if (duck === undefined || big === undefined) throw new Error(`there is no template ${template}`);
    return this.warehouse.ask(big, boundTo(duck, values));
  }

  async close(): Promise<void> {
    await this.warehouse.close();
  }
}
