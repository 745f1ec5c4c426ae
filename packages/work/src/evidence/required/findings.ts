/** Reading evidence that anybody may have written: every defect is a sentence, and none ends the reading. */
import { compareCodePoints, isJsonObject, type JsonObject, type JsonValue } from "@bridle/record";

export class Findings {
  readonly errors: string[] = [];

  add(sentence: string): void {
    this.errors.push(sentence);
  }

  /** Undefined, with a sentence, where it is no object. */
  object(value: JsonValue | undefined, name: string): JsonObject | undefined {
    if (isJsonObject(value)) return value;
    this.add(`${name} must be an object`);
    return undefined;
  }

  /** Trimmed; undefined, with a sentence, where it is no text. */
  text(value: JsonValue | undefined, name: string): string | undefined {
    const text = typeof value === "string" ? value.trim() : "";
    if (text !== "") return text;
    this.add(`${name} must be a non-empty string`);
    return undefined;
  }

  /** What is no text in the list is told and left out. */
  texts(value: JsonValue | undefined, name: string): string[] {
    if (!Array.isArray(value)) {
      this.add(`${name} must be a list`);
      return [];
    }
    return (value as readonly JsonValue[]).flatMap((item, at) => this.text(item, `${name}[${at}]`) ?? []);
  }

  equal(name: string, expected: JsonValue, actual: JsonValue | undefined): void {
    const [wanted, found] = [JSON.stringify(expected), JSON.stringify(actual ?? null)];
    if (wanted !== found) this.add(`${name} mismatch (expected=${wanted}, actual=${found})`);
  }
}

export function sortedSet(values: Iterable<string>): string[] {
  return [...new Set([...values].map((value) => value.trim()).filter((value) => value !== ""))].sort(
    compareCodePoints,
  );
}
