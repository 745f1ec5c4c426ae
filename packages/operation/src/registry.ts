/**
 * The table of operations: what exists, found by any of its names.
 *
 * No two operations share a name of any kind (RUNTIME §8: no parallel operation
 * ids), but each family may freeze a command of its own under the same words: those
 * are never offered by one launcher. Several operations may share a command when each
 * has a `--mode` of its own. A command may be the beginning of another one only if it takes nothing by
 * position, because the words after it could otherwise be read in two ways.
 */
import { propertiesOf } from "./properties.js";
import type { Family, Operation } from "./types.js";

export class OperationTable implements Iterable<Operation> {
  readonly #byId = new Map<string, Operation>();
  readonly #byAction = new Map<string, Operation>();
  readonly #byTool = new Map<string, Operation>();
  readonly #byCommand = new Map<string, Operation>();

  constructor(operations: Iterable<Operation> = []) {
    for (const operation of operations) this.add(operation);
  }

  /** Throws when any of its names is taken; the table is then as it was. */
  add(operation: Operation): void {
    const { id, action, otherActions = [], tool, command, mode } = operation.names;
    const words = command.join(" ");
    const actions = [action, ...otherActions];
    this.#refuseTaken("id", id, this.#byId.get(id), operation);
    for (const each of actions) this.#refuseTaken("action", each, this.#byAction.get(each), operation);
    this.#refuseTaken("tool", tool, this.#byTool.get(tool), operation);
    const place = `${operation.family} ${words}${mode === undefined ? "" : ` --mode ${mode}`}`;
    const sharing = this.byCommand(command, operation.family);
    const clash = sharing?.names.mode === undefined || mode === undefined ? sharing : undefined;
    this.#refuseTaken("command", words, clash ?? this.#byCommand.get(place), operation);
    for (const owner of this.#byCommand.values()) {
      const taken = owner.names.command.join(" ");
      const shorter = words.startsWith(`${taken} `)
        ? owner
        : taken.startsWith(`${words} `)
          ? operation
          : undefined;
      if (shorter && takesPositions(shorter)) {
        throw new TypeError(
          `command "${words}" of ${id} and command "${taken}" of ${owner.names.id}: one begins the other and takes words by position`,
        );
      }
    }
    this.#byId.set(id, operation);
    for (const each of actions) this.#byAction.set(each, operation);
    this.#byTool.set(tool, operation);
    this.#byCommand.set(place, operation);
  }

  byId(id: string): Operation | undefined {
    return this.#byId.get(id);
  }

  /** By any of its spellings. */
  byAction(action: string): Operation | undefined {
    return this.#byAction.get(action);
  }

  byTool(tool: string): Operation | undefined {
    return this.#byTool.get(tool);
  }

  /** The first family that has it, unless one is named; of several that share it the first. */
  byCommand(words: readonly string[], family?: Family): Operation | undefined {
    for (const operation of this.#byCommand.values()) {
      const named = family === undefined || operation.family === family;
      if (named && operation.names.command.join(" ") === words.join(" ")) return operation;
    }
    return undefined;
  }

  get size(): number {
    return this.#byId.size;
  }

  [Symbol.iterator](): Iterator<Operation> {
    return this.#byId.values();
  }

  #refuseTaken(kind: string, name: string, owner: Operation | undefined, claimant: Operation): void {
    if (!owner) return;
    throw new TypeError(
      `${kind} "${name}" is claimed by ${claimant.names.id} but already belongs to ${owner.names.id}; ` +
        "every name of an operation must be its own",
    );
  }
}

function takesPositions({ input }: Operation): boolean {
  return propertiesOf(input).some(({ position, yields }) => position !== undefined && !yields);
}
