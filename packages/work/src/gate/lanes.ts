/**
 * Lanes: what somebody else than a person may change in a folder, and until when.
 *
 * A person opens one for a client and it ends by the clock; an agent or a runner opens
 * one for its own run, and it ends with the process. They stand in the person's settings
 * by the main tree's folder, nothing of them in the repository: no clone brings one.
 */
import { basename, dirname, join } from "node:path";
import {
  digest,
  Document,
  Failure,
  gitFoldersOf,
  type JsonObject,
  locateRoot,
  type Ports,
  type ProcessIdentity,
  settingsFolder,
} from "@bridle/record";
import type { Call } from "@bridle/operation";
import * as Type from "typebox";
import { Check, Errors } from "typebox/schema";

export const lanesKind = "bridle.lanes.v1";

const Lane = Type.Object(
  {
    name: Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$" }),
    laneId: Type.String({ pattern: "^lane1_[0-9a-f]{64}$", description: "Digest of what the lane says." }),
    openedAt: Type.String(),
    expiresAt: Type.Optional(Type.String({ description: "RFC 3339; absent for a run." })),
    allow: Type.Optional(
      Type.Array(Type.String(), { description: "Actions, or families such as `issue.*`; all when absent." }),
    ),
    workers: Type.Optional(Type.Array(Type.String(), { description: "Who may act; anybody when absent." })),
    sessionRef: Type.String(),
    trajectoryRef: Type.String(),
    process: Type.Optional(
      Type.Object(
        {
          pid: Type.Integer(),
          startTime: Type.String(),
          bootId: Type.String(),
          pidNamespace: Type.String(),
          host: Type.String(),
        },
        { description: "Of a run, which ends with it." },
      ),
    ),
  },
  { additionalProperties: true },
);
export type Lane = Type.Static<typeof Lane>;

export const LanesFile = Type.Object(
  {
    lanesKind: Type.Literal(lanesKind),
    folders: Type.Array(
      Type.Object({ folder: Type.String(), lanes: Type.Array(Lane) }, { additionalProperties: true }),
    ),
  },
  { additionalProperties: true, title: "Lanes, by the main tree's folder" },
);
type LanesFile = Type.Static<typeof LanesFile>;

export interface NewLane {
  readonly name: string;
  readonly openedAt: string;
  readonly expiresAt?: string;
  readonly allow?: readonly string[];
  readonly workers?: readonly string[];
  readonly process?: ProcessIdentity;
}

export class Lanes {
  /** What the file held when it was last read; it is replaced as a whole, so its inode tells. */
  private seen: { readonly stamp: string; readonly lanes: readonly Lane[] } | undefined;

  private constructor(
    private readonly path: string,
    private readonly document: Document<LanesFile>,
    readonly folder: string,
    private readonly ports: Ports,
  ) {}

  /** Of the folder that the call stands in. */
  static async open({ ports, cwd, env }: Pick<Call, "ports" | "cwd" | "env">): Promise<Lanes> {
    const settings = settingsFolder(env);
    if (settings === undefined) {
      throw new Failure("lane_settings_missing", {
        message: "neither HOME nor XDG_CONFIG_HOME names a folder, so there is no place for lanes",
        hint: "Set HOME.",
      });
    }
    const path = join(settings, "lanes.json");
    const document = await Document.open<LanesFile>({
      ...{ ports, path, check: (value) => checked(value, path), members: ["lanesKind", "folders"] },
      rows: { member: "folders", members: ["folder", "lanes"], idOf: (row) => String(row["folder"]) },
    });
    return new Lanes(path, document, await mainTree({ ports, cwd, env }), ports);
  }

  /** Those that hold: what has ended is left out. */
  async living(nowMs: number): Promise<readonly Lane[]> {
    const living: Lane[] = [];
    for (const lane of await this.all()) if (await this.lives(lane, nowMs)) living.push(lane);
    return living;
  }

  async all(): Promise<readonly Lane[]> {
    const stat = await this.ports.files.stat(this.path);
    if (stat === undefined) return [];
    const stamp = `${stat.inode} ${stat.bornMs} ${stat.size} ${stat.mtimeMs}`;
    if (this.seen?.stamp !== stamp)
      this.seen = { stamp, lanes: lanesOf(await this.document.read(), this.folder) };
    return this.seen.lanes;
  }

  /** Nothing is held open. */
  async close(): Promise<void> {}

  async lives({ expiresAt, process }: Lane, nowMs: number): Promise<boolean> {
    if (expiresAt !== undefined && !(Date.parse(expiresAt) > nowMs)) return false;
    if (process === undefined) return expiresAt !== undefined;
    return ["alive", "stopped"].includes(await this.ports.processes.liveness(process));
  }

  /** In the place of one of the same name; runs that have ended are forgotten. */
  async add(given: NewLane): Promise<Lane> {
    const { process, ...told } = given;
    const said = { folder: this.folder, ...told, ...(process === undefined ? {} : { process }) };
    const laneId = digest("lane1_", said as unknown as JsonObject);
    const place = `lane/${given.name}/${laneId.slice(6, 22)}`;
    const lane = {
      ...given,
      ...{ laneId, sessionRef: `session://${place}`, trajectoryRef: `trajectory://${place}` },
    } as Lane;
    const gone = new Set<string>();
    for (const each of await this.all())
      if (each.process !== undefined && !(await this.lives(each, 0))) gone.add(each.laneId);
    await this.change((lanes) => [
      ...lanes.filter((each) => each.name !== lane.name && !gone.has(each.laneId)),
      lane,
    ]);
    return lane;
  }

  async remove(name: string): Promise<void> {
    await this.change((lanes) => lanes.filter((each) => each.name !== name));
  }

  private async change(change: (lanes: readonly Lane[]) => Lane[]): Promise<void> {
    await this.document.change((file) => {
      const { folders, ...rest } = file ?? { lanesKind, folders: [] };
      const others = folders.filter(({ folder }) => folder !== this.folder);
      const lanes = change(lanesOf(file, this.folder));
      return {
        ...rest,
        folders: lanes.length === 0 ? others : [...others, { folder: this.folder, lanes }],
      };
    });
  }
}

export function laneRef({ name, laneId }: Lane): string {
  return `instruction://lane/${name}/${laneId.slice(6, 22)}`;
}

function lanesOf(file: LanesFile | undefined, folder: string): readonly Lane[] {
  return file?.folders.find((each) => each.folder === folder)?.lanes ?? [];
}

/** As `Lanes.open`, kept by a server between its calls. */
export function withLanes<Answer>(call: Call, use: (lanes: Lanes) => Promise<Answer>): Promise<Answer> {
  const open = () => Lanes.open(call);
  return call.kept === undefined ? open().then(use) : call.kept.use(`lanes ${call.cwd}`, open, use);
}

/** As `mainTree`, found once by a server. */
export function mainTreeOf(call: Call): Promise<string> {
  const { kept } = call;
  if (kept === undefined) return mainTree(call);
  const find = async () => ({ folder: await mainTree(call), close: async () => {} });
  return kept.use(`main tree ${call.cwd}`, find, async ({ folder }) => folder);
}

/** Which worktrees share: the top of the main tree, or the project's folder where there is no git. */
async function mainTree({ ports, cwd, env }: Pick<Call, "ports" | "cwd" | "env">): Promise<string> {
  const { files } = ports;
  const root = await locateRoot({ files, cwd, env });
  const git = await gitFoldersOf(root, files);
  const top = git !== undefined && basename(git.commonDir) === ".git" ? dirname(git.commonDir) : root;
  return files.realPath(top);
}

function checked(value: JsonObject, path: string): LanesFile {
  if (Check(LanesFile, value)) return value;
  const [, [first]] = Errors(LanesFile, value);
  throw new Failure("document_invalid", {
    message: `${path} does not say which lanes are open${first === undefined ? "" : `: ${first.instancePath || "it"} ${first.message}`}`,
    hint: "Mend it, or remove it: then no lane is open.",
  });
}
