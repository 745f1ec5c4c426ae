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
import {
  allOperations,
  engineFor,
  type Issue,
  type IssueGraph,
  type IssueStore,
  sending,
} from "@bridle/work";
import { join, resolve } from "node:path";

/** The issues of a folder, for as long as `use` takes. */
export async function withIssues<Answer>(
  folder: string,
  ports: Ports,
  use: (store: IssueStore) => Promise<Answer>,
): Promise<Answer> {
  const store = await issuesAt(folder, ports);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

const issuesFile = ".premath/issues.jsonl";

function issuesAt(folder: string, ports: Ports): Promise<IssueStore> {
  return engineFor(ports).issues({ path: join(folder, issuesFile), shown: issuesFile, ports });
}

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
    const { env, ports, mainTree } = this.options;
    return {
      // None of these calls takes long, and a step that is stopped still ends in order.
      ...{ ports, signal: new AbortController().signal, cwd, env },
      issuesPath: join(mainTree, issuesFile),
      warn: (sentence) => this.options.warn(sentence),
      progress() {},
    };
  }

  async graph(): Promise<IssueGraph | undefined> {
    return (await this.store()).graph();
  }

  /** Undefined when it is gone, or its row cannot be read. */
  async issue(id: string): Promise<Issue | undefined> {
    const issue = (await this.graph())?.get(id)?.issue;
    return issue === undefined || "problem" in issue ? undefined : issue;
  }

  /** For decisions of the harness itself, such as giving an issue back, that no operation offers to others. */
  store(): Promise<IssueStore> {
    const { mainTree, ports } = this.options;
    this.opened ??= issuesAt(mainTree, ports);
    return this.opened;
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
