/**
 * The feature ledger as a file: one small document, a row a feature.
 *
 * Only its form is judged here, by member. A ledger that breaks a rule (two
 * features in progress, a status that nobody knows) can still be read, checked
 * and mended: `checkFeatures` says what is wrong with it.
 */
import { basename } from "node:path";
import { Document, Failure, isJsonObject, type JsonObject, type JsonValue, type Ports } from "@bridle/record";
import { optionalText, quoted } from "../text.js";
import { featureLedgerKind, type FoundFeature, type FoundLedger } from "../types.js";

/** Known members in the order of the file. */
export const ledgerMembers: readonly (keyof FoundLedger)[] = [
  "schema",
  "ledgerKind",
  "sessionRef",
  "updatedAt",
  "features",
];
export const featureMembers: readonly (keyof FoundFeature)[] = [
  "featureId",
  "status",
  "issueId",
  "summary",
  "instructionRefs",
  "verificationRefs",
  "takenOver",
  "updatedAt",
];

export interface OpenLedgerOptions {
  readonly path: string;
  /** How the file is called in messages; its name when left out. */
  readonly shown?: string;
  readonly ports: Ports;
  /** Ends the wait for the file's lock. */
  readonly signal?: AbortSignal;
}

export function openLedger({ shown, ...options }: OpenLedgerOptions): Promise<Document<FoundLedger>> {
  const name = shown ?? basename(options.path);
  return Document.open<FoundLedger>({
    ...options,
    members: ledgerMembers,
    rows: { member: "features", members: featureMembers, idOf: ({ featureId }) => String(featureId).trim() },
    check: (value) => readLedger(value, name),
  });
}

/** The file's content as a ledger; throws what is wrong with its form, by member. */
export function readLedger(value: JsonObject, name: string): FoundLedger {
  const header = new Members(value, name);
  header.expect("ledgerKind", featureLedgerKind, "was this file written by another program?");
  header.expect("schema", 1, "was this file written by another version?");
  const features = value["features"];
  if (!Array.isArray(features)) throw header.wrong("features", "a list of features");
  return compact({
    schema: 1 as const,
    ledgerKind: featureLedgerKind as typeof featureLedgerKind,
    sessionRef: header.optional("sessionRef"),
    updatedAt: header.optional("updatedAt"),
    features: features.map((row: JsonValue, i) => readFeature(row, i, name)),
  }) as FoundLedger;
}

function readFeature(row: JsonValue, place: number, name: string): FoundFeature {
  const where = `features[${place}]`;
  if (!isJsonObject(row)) {
    throw new Members({ [where]: row }, name).wrong(where, "an object");
  }
  const members = new Members(row, name, `${where}.`);
  return compact({
    featureId: members.text("featureId").trim(),
    status: members.text("status").trim(),
    issueId: members.optional("issueId"),
    summary: members.optional("summary"),
    instructionRefs: members.refs("instructionRefs"),
    verificationRefs: members.refs("verificationRefs"),
    takenOver: row["takenOver"] ?? undefined,
    updatedAt: members.optional("updatedAt"),
  }) as FoundFeature;
}

/** The members of the ledger or of a row, by what they must be. */
class Members {
  constructor(
    private readonly value: JsonObject,
    private readonly name: string,
    private readonly of = "",
  ) {}

  expect(member: string, content: JsonValue, question: string): void {
    if (this.value[member] !== content) throw this.wrong(member, JSON.stringify(content), question);
  }

  text(member: string): string {
    const found = this.value[member];
    if (typeof found !== "string") throw this.wrong(member, "text");
    return found;
  }

  /** Null and blank count as absent. */
  optional(member: string): string | undefined {
    const found = this.value[member] ?? undefined;
    return found === undefined ? undefined : optionalText(this.text(member));
  }

  /** As they stand there, blank ones too, which are for the check to find. */
  refs(member: string): string[] | undefined {
    const found = this.value[member] ?? undefined;
    if (found === undefined) return undefined;
    if (!Array.isArray(found) || found.some((ref) => typeof ref !== "string"))
      throw this.wrong(member, "a list of refs");
    return found as string[];
  }

  wrong(member: string, expected: string, question = "was this file written by another program?"): Failure {
    return new Failure("feature_ledger_invalid", {
      message: `${this.name}: ${this.of}${member} is ${quoted(this.value[member])}, expected ${expected}; ${question}`,
      hint: "Nothing was changed. Mend the file, or move it away to start a new ledger.",
      detail: { member: `${this.of}${member}` },
    });
  }
}

/** Without the members that are absent. */
export function compact<T extends object>(draft: T): Partial<T> {
  return Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== undefined)) as Partial<T>;
}
