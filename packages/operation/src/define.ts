/**
 * Defining an operation, and what every definition must get right.
 *
 * The checks run when the room is loaded, so a definition that would confuse
 * somebody (a property without a word about it, a flag that two properties
 * claim) never reaches a surface. They throw: a bad definition is a bug.
 */
import type { TObject, TSchema } from "typebox";
import { propertiesOf, type Property } from "./properties.js";
import type { Operation, OperationNames } from "./types.js";

export function defineOperation<Input extends TObject, Output extends TSchema>(
  operation: Operation<Input, Output>,
): Operation<Input, Output> {
  const problem = problemWith(operation as unknown as Operation);
  if (problem) throw new TypeError(`operation ${operation.names.id}: ${problem}`);
  return operation;
}

/** Words and flags that the command line keeps for itself. */
export const reservedWords: readonly string[] = ["help", "version", "completion"];
export const reservedFlags: readonly string[] = ["help", "version", "json"];

function problemWith(operation: Operation): string | undefined {
  return (
    problemWithNames(operation.names) ??
    problemWithNeeds(operation) ??
    problemWithWords(operation) ??
    problemWithInput(operation) ??
    problemWithFlags(propertiesOf(operation.input), operation.names)
  );
}

const wellFormed: { readonly [name in "id" | "action" | "tool" | "mode"]: { shape: RegExp; like: string } } =
  {
    id: { shape: /^op\/[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$/, like: "op/harness.session_write" },
    action: { shape: /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$/, like: "harness.session.write" },
    tool: { shape: /^[a-z][a-z0-9_]{0,63}$/, like: "harness_session_write" },
    mode: { shape: /^[a-z][a-z0-9_]*$/, like: "needs_attention" },
  };

function problemWithNames(names: OperationNames): string | undefined {
  const { id, action, otherActions = [], tool, mode } = names;
  const spelled = [["id", id], ["tool", tool], ...[action, ...otherActions].map((each) => ["action", each])];
  if (mode !== undefined) spelled.push(["mode", mode]);
  for (const [kind, name] of spelled as [keyof typeof wellFormed, string][]) {
    const { shape, like } = wellFormed[kind];
    if (!shape.test(name)) return `its ${kind} is "${name}", expected something like "${like}"`;
  }
  const [first] = names.command;
  if (first === undefined) return "it has no command words";
  if (reservedWords.includes(first)) return `the command word "${first}" is kept for the command line itself`;
  const bad = names.command.find((word) => !/^[a-z][a-z0-9-]*$/.test(word));
  return bad === undefined
    ? undefined
    : `its command word "${bad}" is not made of lower case letters, digits and dashes`;
}

function problemWithNeeds({ effect, needs, needsWhen = [], input }: Operation): string | undefined {
  if (effect === "mutate" && needs === undefined)
    return "it changes something and does not declare what it needs; see `Needs`";
  if (effect === "read" && (needs ?? "nothing") !== "nothing")
    return "it is a read, and a read needs nothing";
  const names = propertiesOf(input).map(({ name }) => name);
  const stray = needsWhen.find(({ input: name }) => !names.includes(name));
  return stray && `what it needs depends on the input "${stray.input}", which it does not take`;
}

function problemWithWords(operation: Operation): string | undefined {
  if (operation.summary.trim() === "") return "it has no summary";
  if (operation.surfaces.length === 0) return "it is offered on no surface";
  if (operation.examples.length === 0) return "it has no example";
  const start = [operation.family, ...operation.names.command].join(" ");
  const stray = operation.examples.find(
    ({ command }) => command !== start && !command.startsWith(`${start} `),
  );
  return stray && `its example "${stray.command}" does not start with "${start}"`;
}

function problemWithInput({ input }: Operation): string | undefined {
  if (input.type !== "object") return "its input schema is not an object";
  if ((input as { additionalProperties?: unknown }).additionalProperties !== false) {
    return "its input schema must say additionalProperties: false, so that a misspelt property is noticed";
  }
  const silent = propertiesOf(input).find((property) => property.description.trim() === "");
  return silent && `its input property "${silent.name}" has no description`;
}

function problemWithFlags(properties: readonly Property[], { mode }: OperationNames): string | undefined {
  const owners = new Map<string, string>(mode === undefined ? [] : [["mode", "the operation's own mode"]]);
  for (const { name, flag } of properties) {
    if (!/^[a-z][a-z0-9-]*$/.test(flag)) return `the flag --${flag} of "${name}" is not well-formed`;
    if (reservedFlags.includes(flag))
      return `the flag --${flag} of "${name}" is kept for the command line itself`;
    const owner = owners.get(flag);
    if (owner !== undefined) return `"${owner}" and "${name}" both claim the flag --${flag}`;
    owners.set(flag, name);
  }
  const placed = properties.filter(({ position }) => position !== undefined);
  placed.sort((a, b) => a.position! - b.position!);
  for (const [place, property] of placed.entries()) {
    if (property.position !== place)
      return `its positions are not 0, 1, …: "${property.name}" says ${property.position}`;
    if (property.list && place < placed.length - 1)
      return `"${property.name}" is a list and must come last by position`;
  }
  return undefined;
}
