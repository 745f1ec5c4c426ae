/**
 * The tools of memory: `remember`, `forget`, `memory_query`, `recall_relevant`.
 *
 * What a newcomer gets wrong: two questions with the same words are one question,
 * whatever their order, case and small words, and however many answers each asks
 * for. So an answer names what it leaves out, and a note is had whole by its key.
 */
import { canonicalJson, type Clock, Failure, type JsonObject, present } from "@bridle/record";
import * as Type from "typebox";
import { oneOf, parametersOf } from "../parameters.js";
import type { AgentTool, Intent, ToolReport } from "../types.js";
import { memoryLimits } from "./limits.js";
import { type NoteType, noteId, noteTypes } from "./note.js";
import { type NoteFilter, type NoteIndex, passes } from "./recall.js";
import { headOf, latestFirst, listing, shown } from "./shown.js";
import { notesNamed } from "./store.js";
import { intentWords } from "./words.js";

export interface MemoryToolsOptions {
  readonly index: NoteIndex;
  readonly clock: Clock;
  /** Notes older than this are not recalled unless a call says so; 0 is no limit. */
  readonly maxAgeDays: number;
}

export function memoryTools(options: MemoryToolsOptions): AgentTool[] {
  return [rememberTool(options), forgetTool(options), memoryQueryTool(options), recallTool(options)];
}

const text = (description: string, maxLength: number) =>
  Type.String({ minLength: 1, maxLength, description });
const keyText = (description: string) => text(description, memoryLimits.keyCharsMax);
const scopeText = Type.Optional(
  text("A component or task. Notes without a scope belong to all of them.", memoryLimits.scopeCharsMax),
);
/** How many answers are wanted. */
const counting = (maximum: number, usual: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum, description: `${usual} if left out.` }));

// --- Writing ---------------------------------------------------------------------------------------

function rememberTool({ index }: Pick<MemoryToolsOptions, "index">): AgentTool {
  return {
    name: "remember",
    family: "memory",
    description:
      "Keeps a note beyond this conversation, under a type and a key. The same type and key again replace its value.",
    parameters: parametersOf({
      key: keyText("What the note is about, short and stable."),
      value: text("What is to be known, complete in itself.", memoryLimits.valueCharsMax),
      type: oneOf(noteTypes),
      scope: scopeText,
    }),
    intent(args) {
      const draft = draftOf(args);
      const key = canonicalJson(["remember", noteId(draft), draft.scope ?? null, draft.value]);
      const says = `remember ${noteId(draft)}`;
      return { key, says, repeat: "run", risk: "safe", changes: ["memory"] };
    },
    async run(args) {
      const { note, before } = await index.store.put(draftOf(args));
      const facts = { id: note.id, replaced: before !== undefined };
      if (before === undefined) return { ok: true, text: `Remembered ${note.id}.`, facts };
      if (before.value === note.value) return { ok: true, text: `${note.id} was known; it stands.`, facts };
      return { ok: true, text: `Remembered ${note.id}. It said before: ${shown(before.value)}`, facts };
    },
  };
}

function forgetTool({ index }: Pick<MemoryToolsOptions, "index">): AgentTool {
  return {
    name: "forget",
    family: "memory",
    description: "Takes one note away, by its key or its id (type:key). The report says what it was.",
    parameters: parametersOf({ key: keyText("Key or id of the note.") }),
    intent(args) {
      const key = string(args, "key") ?? "";
      return {
        key: canonicalJson(["forget", key]),
        says: `forget the note ${key}`,
        repeat: "run",
        risk: "cautious",
        changes: ["memory"],
      };
    },
    async run(args) {
      const note = await index.store.remove(string(args, "key") ?? "");
      return { ok: true, text: `Forgot ${note.id}. It said: ${note.value}`, facts: { id: note.id } };
    },
  };
}

// --- Asking ----------------------------------------------------------------------------------------

function memoryQueryTool({ index }: Pick<MemoryToolsOptions, "index">): AgentTool {
  const { queryMax, queryUsual } = memoryLimits;
  return {
    name: "memory_query",
    family: "memory",
    description:
      "Looks into the notes: exact (by key, whole), type (all of one type, latest first) or lexical (by words, best first).",
    parameters: parametersOf({
      mode: oneOf(["exact", "type", "lexical"]),
      key: Type.Optional(keyText("For exact: key or id (type:key).")),
      memory_type: Type.Optional(oneOf(noteTypes, { description: "For type; narrows the others." })),
      query: Type.Optional(text("For lexical.", memoryLimits.queryCharsMax)),
      limit: counting(queryMax, queryUsual),
      scope: scopeText,
    }),
    intent(args) {
      const mode = string(args, "mode") ?? "";
      const about = mode === "type" ? "" : (string(args, mode === "exact" ? "key" : "query") ?? "");
      const words = mode === "exact" ? [about.trim()] : intentWords(about);
      return asking({ mode, words, args, about: about === "" ? (string(args, "memory_type") ?? "") : about });
    },
    async run(args) {
      const limit = number(args, "limit") ?? queryUsual;
      const filter = filterOf(args);
      switch (string(args, "mode")) {
        case "exact":
          return exactly(index, required(args, "key", "exact"), filter);
        case "type": {
          const type = required(args, "memory_type", "type");
          const notes = (await index.notes()).filter((note) => passes(note, { ...filter, type }));
          return listing(`of type ${type}`, {
            all: notes.toSorted(latestFirst).map((note) => ({ note })),
            limit,
          });
        }
        default: {
          const query = required(args, "query", "lexical");
          return listing(`for ${JSON.stringify(query)}`, { all: await index.find(query, filter), limit });
        }
      }
    },
  };
}

function recallTool({ index, clock, maxAgeDays }: MemoryToolsOptions): AgentTool {
  const { recallMax, recallUsual } = memoryLimits;
  return {
    name: "recall_relevant",
    family: "memory",
    description: "The notes that share the most telling words with a question or a task, best first.",
    parameters: parametersOf({
      query: text("The question or the task, in its own words.", memoryLimits.queryCharsMax),
      k: counting(recallMax, recallUsual),
      scope: scopeText,
      max_age_days: Type.Optional(
        Type.Number({
          minimum: 0,
          description: `Leaves out what was not changed for longer; 0 is no limit; ${maxAgeDays} if left out.`,
        }),
      ),
    }),
    intent(args) {
      const query = string(args, "query") ?? "";
      return asking({ mode: "relevant", words: intentWords(query), args, about: query });
    },
    async run(args) {
      const query = required(args, "query", "recall");
      const days = number(args, "max_age_days") ?? maxAgeDays;
      const since = days === 0 ? {} : { since: (await clock.now()) - days * 86_400_000 };
      const all = await index.find(query, { ...filterOf(args), ...since });
      return listing(`for ${JSON.stringify(query)}`, { all, limit: number(args, "k") ?? recallUsual });
    },
  };
}

interface Asking {
  readonly mode: string;
  readonly words: readonly string[];
  readonly args: JsonObject;
  readonly about: string;
}

function asking({ mode, words, args, about }: Asking): Intent {
  const { scope = null, memory_type: type = null, max_age_days: age = null } = args;
  return {
    key: canonicalJson(["memory", mode, words, scope, type, age]),
    says: `look for ${about} in memory`,
    repeat: "answer",
    risk: "safe",
    reads: ["memory"],
  };
}

async function exactly(index: NoteIndex, key: string, filter: NoteFilter): Promise<ToolReport> {
  const found = notesNamed(await index.notes(), key).filter((note) => passes(note, filter));
  if (found.length > 0) {
    return {
      ok: true,
      text: found.map((note) => `${headOf(note)}\n${note.value}`).join("\n\n"),
      facts: { notes: found.map(({ id }) => id) },
    };
  }
  const near = (await index.find(key, filter)).slice(0, 5).map(({ note }) => note.id);
  const also = near.length === 0 ? "" : ` Notes that share words with it: ${near.join(", ")}.`;
  return { ok: true, text: `No note has the key ${JSON.stringify(key)}.${also}`, facts: { notes: [] } };
}

// --- Arguments -------------------------------------------------------------------------------------

function draftOf(args: JsonObject) {
  return {
    key: string(args, "key") ?? "",
    value: string(args, "value") ?? "",
    type: (string(args, "type") ?? "fact") as NoteType,
    ...present({ scope: string(args, "scope") }),
  };
}

function filterOf(args: JsonObject): NoteFilter {
  return present({ scope: string(args, "scope"), type: string(args, "memory_type") });
}

function required(args: JsonObject, name: string, mode: string): string {
  const value = string(args, name);
  if (value !== undefined && value.trim() !== "") return value;
  throw new Failure("input_invalid", {
    message: `mode ${mode} needs ${name}`,
    hint: `Call again with ${name}.`,
  });
}

function string(args: JsonObject, name: string): string | undefined {
  const value = args[name];
  return typeof value === "string" ? value : undefined;
}

function number(args: JsonObject, name: string): number | undefined {
  const value = args[name];
  return typeof value === "number" ? value : undefined;
}
