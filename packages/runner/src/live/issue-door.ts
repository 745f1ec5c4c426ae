/**
 * The one way in which a worker changes issues, sessions and trajectory: as an operation, through the same gates as
 * everybody else's calls, standing on the lane of its run.
 */
import {
  type Call,
  type Envelope,
  type Gate,
  type Operation,
  type Standing,
  outcomeOf,
  perform,
  type TurnSoFar,
} from "@bridle/operation";
import { isJsonObject, type JsonObject, type Ports, present, refuse, type Refusal } from "@bridle/record";
import { allOperations, type IssueGraph, engineFor, type IssueStore, sending } from "@bridle/work";
import { join, resolve } from "node:path";

export interface DoorOptions {
  /** What the worker stands on: the lane that it opened, or a person's override; who only reads stands on nothing. */
  readonly standing?: Standing;
  readonly gates: readonly Gate[];
  /** The folder whose `.premath` holds the issues. */
  readonly mainTree: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly ports: Ports;
  warn(sentence: string): void;
}

export class IssueDoor {
  private operations: ReadonlyMap<string, Operation> | undefined;
  private opened: Promise<IssueStore> | undefined;

  constructor(private readonly options: DoorOptions) {}

  /** The answer's payload, or why not. `cwd`: where the caller stands, the main tree when left out. */
  async call(
    action: string,
    input: JsonObject,
    where: { readonly cwd?: string; readonly turn?: TurnSoFar } = {},
  ): Promise<JsonObject | Refusal> {
    const { standing, gates } = this.options;
    const operation = (await this.table()).get(action);
    if (operation === undefined) throw new Error(`there is no operation ${action}`);
    const call = this.from(where.cwd);
    const turn = where.turn === undefined || standing?.kind !== "run" ? {} : { turn: where.turn };
    const stands = standing === undefined ? {} : { standing: { ...standing, ...turn } };
    const authority = { surface: "cli" as const, ...stands };
    return payloadOf(await perform(operation, input, { call, authority, gates }));
  }

  /** Hands an issue to another folder, whose own gate decides; the same again is answered the same. */
  async send(issueId: string, to: string) {
    const { sendIssue } = await sending();
    return sendIssue({ issueId, to: resolve(this.options.mainTree, to) }, this.from());
  }

  private from(cwd = this.options.mainTree): Call {
    const { env, ports } = this.options;
    return {
      // None of these calls takes long, and a step that is stopped still ends in order.
      ...{ ports, signal: new AbortController().signal, cwd, issuesPath: this.issuesPath, env },
      warn: (sentence) => this.options.warn(sentence),
      progress() {},
    };
  }

  async graph(): Promise<IssueGraph | undefined> {
    return (await this.store()).graph();
  }

  /** For decisions of the harness itself, such as giving an issue back, that no operation offers to others. */
  store(): Promise<IssueStore> {
    const { ports } = this.options;
    this.opened ??= engineFor(ports).issues({ path: this.issuesPath, shown: ".premath/issues.jsonl", ports });
    return this.opened;
  }

  private get issuesPath(): string {
    return join(this.options.mainTree, ".premath/issues.jsonl");
  }

  async close(): Promise<void> {
    await (await this.opened)?.close();
  }

  private async table(): Promise<ReadonlyMap<string, Operation>> {
    this.operations ??= new Map((await allOperations()).map((each) => [each.names.action, each] as const));
    return this.operations;
  }
}

function payloadOf(envelope: Envelope): JsonObject | Refusal {
  const outcome = outcomeOf(envelope);
  if (outcome.kind === "refused") {
    const { message, hint, detail } = outcome;
    return refuse(envelope.resultClass as Refusal["refused"], {
      message,
      ...present({ hint, detail }),
    });
  }
  return isJsonObject(outcome.payload) ? outcome.payload : {};
}
