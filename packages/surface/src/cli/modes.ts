/**
 * Several operations under one command, such as `premath observe --mode latest`.
 *
 * Help, completion and the parser see one entry with all of their flags and a flag `--mode`; which
 * operation is meant follows from its value, and that operation's own schema judges the rest. The
 * flag itself never reaches an operation.
 */
import type { ManifestEntry } from "@bridle/operation";
import { isJsonObject, type JsonObject, type Refusal } from "@bridle/record";
import { complaint, quote } from "./complaints.js";

export interface CommandEntry extends ManifestEntry {
  /** The operations that share the command; absent where it is one operation's own. */
  readonly modes?: readonly ManifestEntry[];
  /** The command that is meant, where these are other words for it; see spoken-commands.ts. */
  readonly saidFor?: readonly string[];
}

/** Of entries with the same command; the first is meant where no mode is named. */
export function joinModes(sharing: readonly ManifestEntry[]): CommandEntry {
  const [first, ...others] = sharing as readonly [ManifestEntry, ...ManifestEntry[]];
  if (others.length === 0) return first;
  const inputs = sharing.map(({ input }) => input);
  const names = sharing.map((entry) => entry.names.mode ?? "");
  return {
    ...first,
    description: sharing.map(({ summary }, i) => `--mode ${names[i]}: ${summary}`).join("\n"),
    examples: sharing.flatMap(({ examples }) => examples),
    input: {
      ...first.input,
      properties: {
        mode: { enum: names, default: names[0] ?? "", description: "What is asked." },
        ...Object.assign({}, ...inputs.map(propertiesIn)),
      } as JsonObject,
      required: requiredIn(first.input).filter((name) =>
        inputs.every((each) => requiredIn(each).includes(name)),
      ),
    },
    modes: sharing,
  };
}

/** The operation that the input means, with the input that is its own. */
export function meantEntry(
  entry: CommandEntry,
  input: JsonObject,
  usage: string,
): { readonly entry: ManifestEntry; readonly input: JsonObject } | Refusal {
  if (entry.modes === undefined) return { entry, input };
  const { mode, ...rest } = input;
  const meant = mode === undefined ? entry.modes[0] : entry.modes.find(({ names }) => names.mode === mode);
  if (meant !== undefined) return { entry: meant, input: rest };
  const known = entry.modes.map(({ names }) => names.mode).join(", ");
  return complaint(`there is no mode ${quote(String(mode))}; there is ${known}`, usage);
}

function propertiesIn({ properties }: JsonObject): JsonObject {
  return isJsonObject(properties) ? properties : {};
}

function requiredIn({ required }: JsonObject): readonly string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}
