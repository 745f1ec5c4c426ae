/**
 * What a note is, and how a file of notes is read: ours, and the older one that
 * had no version.
 *
 * What a newcomer gets wrong: a file that is not understood is not an empty one.
 * Everything here either understands all of it or says what it does not, so that
 * nobody writes over what somebody else remembered.
 */
import { Failure, isJsonObject, type JsonObject, type JsonValue, present } from "@bridle/record";
import { memoryLimits } from "./limits.js";

export const noteTypes = [
  "fact",
  "experience",
  "entity",
  "belief",
  "reflection",
  "recipe",
  "hypothesis",
  "trajectory",
] as const;
export type NoteType = (typeof noteTypes)[number];

export interface Note {
  /** `<type>:<key>`. */
  readonly id: string;
  readonly key: string;
  /** One of `noteTypes`, unless a newer version knows more. */
  readonly type: string;
  readonly value: string;
  /** RFC 3339; unknown for notes of the older file that do not say. */
  readonly createdAt?: string;
  readonly updatedAt?: string;
  /** From 0 to 1. */
  readonly confidence?: number;
  /** What it is about, in a word: a component, a task. Without one it is about everything. */
  readonly scope?: string;
  /** Members as they stand in the file, known and unknown. */
  readonly stored: JsonObject;
}

export interface NoteDraft {
  readonly key: string;
  readonly value: string;
  readonly type: NoteType;
  readonly scope?: string;
}

/** The document. Notes stay as they were written; `olderKeys` are top-level members that became notes. */
export interface NotesFile {
  readonly version: 1;
  readonly notes: { readonly [id: string]: JsonObject };
  readonly olderKeys?: readonly string[];
}

/** Contract: pure; a `Failure` says what is wrong and where. */
export function readNotesFile(value: JsonObject): NotesFile {
  const { version, notes } = value;
  if (typeof version !== "number") return readOlderFile(value);
  if (version !== 1) {
    throw damaged(`its version is ${version}, and this program knows version 1`);
  }
  if (!isJsonObject(notes)) throw damaged('its member "notes" is no object');
  for (const [id, stored] of Object.entries(notes)) requireNote(id, stored);
  return { version, notes: notes as NotesFile["notes"] };
}

export function noteOf(id: string, stored: JsonObject): Note {
  const type = typeof stored["type"] === "string" ? stored["type"] : typeIn(id);
  const { value, createdAt, updatedAt, confidence, scope } = stored;
  return {
    id,
    type,
    key: id.startsWith(`${type}:`) ? id.slice(type.length + 1) : id,
    value: value as string,
    stored,
    ...(typeof createdAt === "string" ? { createdAt } : {}),
    ...(typeof updatedAt === "string" ? { updatedAt } : {}),
    ...(typeof confidence === "number" ? { confidence } : {}),
    ...(typeof scope === "string" ? { scope } : {}),
  };
}

/** The key as it is filed: composed, without blanks around it and without its own type in front. */
export function filedKey(key: string, type?: string): string {
  const plain = key.normalize("NFC").trim();
  return type !== undefined && plain.startsWith(`${type}:`) ? plain.slice(type.length + 1).trim() : plain;
}

export function noteId({ key, type }: { readonly key: string; readonly type: string }): string {
  return `${type}:${filedKey(key, type)}`;
}

/** What is written for a draft; members that we do not know stay, and what was said of the old value goes with it. */
export function storedNote(draft: NoteDraft, before: JsonObject | undefined, now: string): JsonObject {
  const { confidence, scope, ...kept } = before ?? {};
  const same = before?.["value"] === draft.value;
  const sure = same ? confidence : undefined;
  const about = draft.scope ?? scope;
  return {
    ...kept,
    value: draft.value,
    type: draft.type,
    createdAt: kept["createdAt"] ?? now,
    updatedAt: now,
    ...present({ confidence: sure, scope: about }),
  };
}

export function checkDraft({ key, value, type, scope }: NoteDraft): void {
  const { keyCharsMax, valueCharsMax, scopeCharsMax } = memoryLimits;
  const filed = filedKey(key, type);
  if (filed === "") throw invalid("a note needs a key that is not blank", "Name what the note is about.");
  if (filed.length > keyCharsMax) {
    throw invalid(
      `the key of the note has ${filed.length} characters; at most ${keyCharsMax} are kept`,
      "Put the rest into the value.",
    );
  }
  if (value.trim() === "") throw invalid(`the value of ${filed} is blank`, "Say what is to be remembered.");
  if (value.length > valueCharsMax) {
    throw invalid(
      `the value of ${filed} has ${value.length} characters; at most ${valueCharsMax} are kept`,
      "Write a file and remember its path, or make several notes.",
    );
  }
  if (scope !== undefined && (scope.trim() === "" || scope.length > scopeCharsMax)) {
    throw invalid(
      `the scope of ${filed} must have 1 to ${scopeCharsMax} characters`,
      "Leave it out, or use a word.",
    );
  }
}

// --- The older file --------------------------------------------------------------------------------

/** A plain object of keys, each with a text or with an object that has a `value`. */
function readOlderFile(file: JsonObject): NotesFile {
  const notes = new Map<string, JsonObject>();
  const olderKeys = Object.keys(file);
  const typed = olderKeys.filter((key) => noteTypes.some((type) => key.startsWith(`${type}:`)));
  const untyped = olderKeys.filter((key) => !typed.includes(key));
  for (const key of [...typed, ...untyped]) {
    let id = typed.includes(key) ? key : `fact:${key}`;
    // A note without a type may have the name of one with its type; both stay.
    for (let count = 2; notes.has(id); count++) id = `fact:${key} (${count})`;
    notes.set(id, olderNote(key, id, file[key]));
  }
  return { version: 1, notes: Object.fromEntries(notes), olderKeys };
}

function olderNote(key: string, id: string, entry: JsonValue | undefined): JsonObject {
  const type = typeIn(id);
  if (typeof entry === "string") return { value: entry, type };
  if (!isJsonObject(entry) || typeof entry["value"] !== "string") {
    throw damaged(`its member ${JSON.stringify(key.slice(0, 80))} is no note`);
  }
  return { ...entry, type, ...timeOf(entry, "createdAt"), ...timeOf(entry, "updatedAt") };
}

/** Some of the older programs wrote milliseconds. */
function timeOf(entry: JsonObject, member: "createdAt" | "updatedAt"): JsonObject {
  const value = entry[member];
  if (typeof value !== "number") return {};
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? {} : { [member]: date.toISOString() };
}

function typeIn(id: string): NoteType {
  return noteTypes.find((type) => id.startsWith(`${type}:`)) ?? "fact";
}

function requireNote(id: string, stored: JsonValue | undefined): void {
  if (isJsonObject(stored) && typeof stored["value"] === "string") return;
  throw damaged(`its note ${JSON.stringify(id.slice(0, 80))} has no value that is a text`);
}

function damaged(what: string): Failure {
  return new Failure("notes_damaged", { message: what });
}

function invalid(message: string, hint: string): Failure {
  return new Failure("note_invalid", { message, hint });
}
