/**
 * What a word of a command most likely comes to, as texts.
 *
 * What a newcomer gets wrong: nothing here is certain. A variable that the line
 * itself set has its value, every other one stays as it is written; patterns stay
 * patterns. Good enough to tell what a command is for, never to let it run.
 */
import { braceArms } from "./braces.js";
import type { Command, Part, Script, Word } from "./syntax.js";

/** What the line gave to each name. */
export type Variables = ReadonlyMap<string, readonly string[]>;

const none: Variables = new Map();
const wordsMax = 50;
/** In a longer word, variables stay as they are written: each might double it. */
const expandedCharsMax = 2_000;

/** One text, or several where the word becomes several. */
export function spelled({ parts }: Word, variables: Variables = none): readonly string[] {
  let texts = [""];
  for (const part of parts) {
    const grows = part.kind === "variable" && (texts[0] ?? "").length < expandedCharsMax;
    const forms = grows ? valuesOf(part, variables) : [spelledPart(part)];
    if (forms.length === 1) texts = texts.map((text) => text + (forms[0] ?? ""));
    else texts = texts.flatMap((text) => forms.map((form) => text + form)).slice(0, wordsMax);
  }
  return parts.some(({ kind }) => kind === "brace")
    ? texts.flatMap((text) => braceArms(text, wordsMax)).slice(0, wordsMax)
    : texts;
}

function valuesOf(part: Part & { readonly kind: "variable" }, variables: Variables): readonly string[] {
  const { name, operator, quoted } = part;
  const known = variables.get(name);
  const plain = operator === undefined || /^\[[@*]\]$|^:?[-=]$/.test(operator);
  if (known === undefined || !plain) {
    if (name === "PWD" && operator === undefined) return ["."];
    const fallback = /^:?[-=]$/.test(operator ?? "") ? (part.parts ?? []).map(spelledPart).join("") : "";
    return [fallback === "" ? spelledPart(part) : fallback];
  }
  if (quoted || known.length !== 1) return known.slice(0, wordsMax);
  return (known[0] ?? "").split(/\s+/, wordsMax).filter((piece) => piece !== "");
}

function spelledPart(part: Part): string {
  switch (part.kind) {
    case "text":
    case "glob":
    case "brace":
      return part.text;
    case "tilde":
      return `~${part.user}`;
    case "variable":
      if (part.operator === "length") return `\${#${part.name}}`;
      return part.operator === undefined
        ? `$${part.name}`
        : `\${${part.name}${part.operator}${(part.parts ?? []).map(spelledPart).join("")}}`;
    case "command": {
      const inner = spelledScript(part.script);
      return inner === "pwd" ? "." : `$(${inner})`;
    }
    case "process":
      return `<(${spelledScript(part.script)})`;
    case "number":
      return "$((…))";
  }
}

/** On one line and without quotes; of control structures only that they are there. */
function spelledScript({ items }: Script): string {
  const pipelines = items.flatMap((item) =>
    item.pipelines.map(({ after, commands }) => {
      const line = commands.map(spelledCommand).join(" | ");
      return after === undefined ? line : `${after} ${line}`;
    }),
  );
  return pipelines.join("; ").replaceAll("; &&", " &&").replaceAll("; ||", " ||");
}

function spelledCommand(command: Command): string {
  if (command.kind !== "simple") return "…";
  const assigned = command.assignments.map(
    (each) => `${each.name}=${each.values.flatMap((v) => spelled(v)).join(" ")}`,
  );
  return [...assigned, ...command.words.flatMap((word) => spelled(word))].join(" ");
}
