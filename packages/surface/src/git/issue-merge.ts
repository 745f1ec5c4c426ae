/**
 * `premath issue merge`: two issues files that grew from a third, made one; what
 * git left as two sides, made one; and the merge driver that lets git do it.
 *
 * It is here and not in `work` because only the program knows where it is, which
 * is what the driver must run.
 */
import { basename, dirname, isAbsolute, relative, resolve } from "node:path";
import { type Call, defineOperation, type Paint } from "@bridle/operation";
import {
  gitFoldersOf,
  isRefusal,
  localOf,
  locatePath,
  putFile,
  refuse,
  type Refusal,
  grouped,
} from "@bridle/record";
import {
  engineFor,
  installDriver,
  type IssueMemory,
  mergeIssues,
  type MergedIssues,
  onlyFiles,
  readSource,
  readTree,
  treeText,
  uninstallDriver,
} from "@bridle/work";
import * as Type from "typebox";

const file = (position: number, description: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      "x-position": position,
      "x-placeholder": "file",
      "x-path": true,
      description,
    }),
  );

export const issueMerge = defineOperation({
  names: {
    id: "op/issue.merge",
    action: "issue.merge",
    command: ["issue", "merge"],
    tool: "issue_merge",
  },
  family: "premath",
  effect: "mutate",
  needs: "nothing",
  needsWhen: [
    { input: "resolve", needs: "person" },
    { input: "install", needs: "person" },
    { input: "uninstall", needs: "person" },
  ],
  surfaces: ["cli"],
  summary: "Merge two issues files that grew from a third, by hand or for git.",
  description:
    "An issue that one side changed is taken as it is. Of one that both changed, each member is taken from the side " +
    "that changed it; where both did, the later updated_at wins and the other value is kept in " +
    "metadata.mergeConflicts. One id for two issues: the older keeps it, the other is renamed with its references and " +
    "an alias. Two leases on one issue both end, with the fence above either. The result replaces <ours>, sorted by " +
    "id, and is the same whichever side is ours. A damaged file is refused and nothing is written. " +
    "--install makes this the repository's git merge driver. --resolve needs no files: it takes the sides from git's " +
    "index, else from the conflict markers in issue memory, else from rows that did not grow from each other; in a " +
    "worktree it means that tree's own file.",
  examples: [
    { command: "premath issue merge --install", says: "lets git merge issues with it from now on" },
    { command: "premath issue merge --resolve", says: "makes one of what git left as two sides" },
    {
      command: "premath issue merge base.jsonl ours.jsonl theirs.jsonl --out merged.jsonl",
      says: "merges by hand",
    },
  ],
  input: Type.Object(
    {
      base: file(0, "What both grew from; %O in a git merge driver."),
      ours: file(1, "One side, replaced by the result; %A in a git merge driver."),
      theirs: file(2, "The other side; %B in a git merge driver."),
      out: Type.Optional(
        Type.String({
          minLength: 1,
          "x-placeholder": "file",
          "x-path": true,
          description: "Where the result goes instead.",
        }),
      ),
      name: Type.Optional(
        Type.String({
          "x-placeholder": "path",
          description: "How the file is called in messages; %P for git.",
        }),
      ),
      resolve: Type.Optional(
        Type.Boolean({ description: "Make one of the sides that git or somebody left in issue memory." }),
      ),
      install: Type.Optional(Type.Boolean({ description: "Make this the repository's git merge driver." })),
      uninstall: Type.Optional(Type.Boolean({ description: "Take the merge driver out again." })),
      issuesPath: Type.Optional(
        Type.String({
          minLength: 1,
          "x-flag": "issues",
          "x-placeholder": "path",
          "x-path": true,
          description: "With --install or --resolve: the issue memory, .premath/issues.jsonl when left out.",
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("issue.merge"),
    did: Type.Enum(["merged", "resolved", "installed", "uninstalled"]),
    changed: Type.Boolean(),
    out: Type.Optional(Type.String()),
    issueCount: Type.Optional(Type.Integer()),
    renamed: Type.Optional(Type.Array(Type.Object({ from: Type.String(), to: Type.String() }))),
    conflicts: Type.Optional(
      Type.Array(Type.Object({ issueId: Type.String(), member: Type.String() }), {
        description: "Members whose losing value is kept in metadata.mergeConflicts.",
      }),
    ),
    leasesEnded: Type.Optional(Type.Array(Type.String(), { description: "Issues that lost a lease." })),
    cycle: Type.Optional(Type.Array(Type.String(), { description: "Issues that wait for each other now." })),
    sidesFrom: Type.Optional(
      Type.Enum(["index", "markers", "rows"], { description: "Where --resolve took the sides from." }),
    ),
    aside: Type.Optional(
      Type.String({ description: "The file as it was, where it said more than the sides." }),
    ),
    add: Type.Optional(Type.String({ description: "What to `git add` now." })),
    attributesPath: Type.Optional(Type.String()),
    command: Type.Optional(Type.String({ description: "What git runs." })),
  }),
  async run(input, call) {
    const { base, ours, theirs } = input;
    const alone = [input.install, input.uninstall, input.resolve].filter((flag) => flag === true).length;
    if (alone > 1 || (alone === 1 && base !== undefined)) {
      return refuse("input_invalid", {
        message: "--resolve, --install and --uninstall stand alone",
        hint: "Name three files to merge them, or one of the three without files.",
      });
    }
    if (input.resolve === true) return resolveSides(input, call);
    if (alone === 1) return setUp(input, call);
    if (base === undefined || ours === undefined || theirs === undefined) {
      return refuse("input_invalid", {
        message: "a merge needs three files: <base> <ours> <theirs>",
        hint: "Or let git do it: `premath issue merge --install`. What git left as two sides: `premath issue merge --resolve`.",
      });
    }
    const sides = { base, ours, theirs, out: input.out ?? ours };
    const merged = await mergeFiles(sides, input.name, call);
    if (isRefusal(merged)) return merged;
    const { renamed, conflicts, leasesEnded, cycle, rows } = merged;
    tellCycle(cycle, call);
    return {
      action: "issue.merge" as const,
      did: "merged" as const,
      changed: true,
      out: sides.out,
      issueCount: rows.size,
      renamed: [...renamed],
      conflicts: [...conflicts],
      leasesEnded: [...leasesEnded],
      ...(cycle === undefined ? {} : { cycle: [...cycle] }),
    };
  },
  present(answer, paint) {
    if (answer.did === "merged") return mergedLines(answer, paint).join("\n");
    if (answer.did === "resolved") return resolvedLines(answer, paint).join("\n");
    const { did, changed, attributesPath = "", command = "" } = answer;
    if (!changed) return `  ${paint.dim("nothing to do:")} the merge driver is ${did} already`;
    if (did === "uninstalled") return `  ${paint.good("uninstalled")}  ${attributesPath} and .git/config`;
    return [
      `  ${paint.good("installed")}  ${command}`,
      `  ${paint.dim("commit")}     ${attributesPath}`,
      `  ${paint.dim("Every clone runs `premath issue merge --install` once; git does not take settings along.")}`,
    ].join("\n");
  },
});

interface MergeFiles {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
  readonly out: string;
}

async function mergeFiles(
  { base, ours, theirs, out }: MergeFiles,
  name: string | undefined,
  call: Call,
): Promise<MergedIssues | Refusal> {
  const { ports, cwd } = call;
  const path = resolve(cwd, out);
  const read = async (given: string, side: string) =>
    readTree(
      await readSource(resolve(cwd, given), given, ports),
      name === undefined ? given : `${name} (${side})`,
    );
  const merge = async (): Promise<MergedIssues | Refusal> => {
    const before = await read(base, "base");
    if (isRefusal(before)) return before;
    const one = await read(ours, "ours");
    if (isRefusal(one)) return one;
    const other = await read(theirs, "theirs");
    return isRefusal(other) ? other : mergeIssues(before, one, other);
  };
  // Issue memory itself is replaced under its lock, so that no change in between is lost.
  if (basename(dirname(path)) === ".premath") return intoMemory(path, merge, call);
  const merged = await merge();
  if (!isRefusal(merged)) await putFile(path, Buffer.from(treeText(merged)), ports);
  return merged;
}

async function intoMemory(
  path: string,
  merge: () => Promise<MergedIssues | Refusal>,
  call: Call,
): Promise<MergedIssues | Refusal> {
  return withIssues({ path, shown: path }, call, (memory) =>
    memory.replace<MergedIssues | Refusal>(async () => {
      const merged = await merge();
      if (isRefusal(merged)) return { answer: merged };
      return { answer: merged, lines: treeText(merged).split("\n").slice(0, -1) };
    }),
  );
}

/** What only issue memory in a file can do. */
async function withIssues<Answer>(
  place: { readonly path: string; readonly shown: string },
  { ports, signal, warn }: Call,
  use: (memory: IssueMemory) => Promise<Answer | Refusal>,
): Promise<Answer | Refusal> {
  const store = await engineFor(ports).issues({ ...place, ports, signal });
  try {
    return store.file === undefined ? onlyFiles("merged") : await use(store.file);
  } finally {
    for (const sentence of store.takeNotices()) warn(sentence);
    await store.close();
  }
}

interface SetUpInput {
  readonly install?: boolean;
  readonly issuesPath?: string;
}

/** Each worktree has its own checkout of the file, and git merges that one. */
function ownIssues({ issuesPath: flag }: SetUpInput, { ports, cwd, env }: Call): Promise<string> {
  const fallback = ".premath/issues.jsonl";
  return locatePath({ files: ports.files, cwd, env, flag, fallback, own: true });
}

async function setUp(input: SetUpInput, call: Call) {
  const { ports } = call;
  const { path } = await localOf(await ownIssues(input, call), ports.files);
  const installs = input.install === true;
  const done = installs
    ? await installDriver(path, resolve(process.argv[1] ?? "premath"), ports)
    : await uninstallDriver(path, ports);
  if (isRefusal(done)) return done;
  return {
    action: "issue.merge" as const,
    did: installs ? ("installed" as const) : ("uninstalled" as const),
    ...done,
  };
}

async function resolveSides(input: SetUpInput, call: Call) {
  const { ports, cwd } = call;
  const path = await ownIssues(input, call);
  const shown = input.issuesPath ?? fromFolder(cwd, path);
  return withIssues({ path, shown }, call, async (memory) => {
    const resolved = await memory.resolve();
    if (isRefusal(resolved)) return resolved;
    const { changed, where, aside, rows, renamed = [], conflicts = [], leasesEnded = [], cycle } = resolved;
    tellCycle(cycle, call);
    const inGit = (await gitFoldersOf(dirname(path), ports.files)) !== undefined;
    return {
      action: "issue.merge" as const,
      did: "resolved" as const,
      changed,
      out: shown,
      ...(where === undefined
        ? {}
        : {
            sidesFrom: where,
            issueCount: rows?.size ?? 0,
            renamed: [...renamed],
            conflicts: [...conflicts],
            leasesEnded: [...leasesEnded],
            ...(inGit ? { add: shown } : {}),
          }),
      ...(aside === undefined ? {} : { aside }),
      ...(cycle === undefined ? {} : { cycle: [...cycle] }),
    };
  });
}

function fromFolder(cwd: string, path: string): string {
  const below = relative(cwd, path);
  return below.startsWith("..") || isAbsolute(below) ? path : below;
}

function tellCycle(cycle: readonly string[] | undefined, call: Call): void {
  if (cycle === undefined) return;
  call.warn(`${cycle.join(" → ")} wait for each other now; \`premath dep diagnostics\` shows it.`);
}

interface MergedAnswer {
  readonly out?: string;
  readonly issueCount?: number;
  readonly renamed?: readonly { readonly from: string; readonly to: string }[];
  readonly conflicts?: readonly { readonly issueId: string; readonly member: string }[];
  readonly leasesEnded?: readonly string[];
}

const sidesWords = {
  index: "the sides that git's index holds",
  markers: "the sides between the conflict markers",
  rows: "rows that did not grow from each other",
} as const;

function resolvedLines(
  answer: MergedAnswer & {
    readonly sidesFrom?: keyof typeof sidesWords;
    readonly aside?: string;
    readonly add?: string;
  },
  paint: Paint,
): string[] {
  const { sidesFrom, aside, add, out = "" } = answer;
  if (sidesFrom === undefined) return [`  ${paint.dim("nothing to resolve:")} ${out} is one memory`];
  return [
    ...mergedLines(answer, paint),
    `  ${paint.dim("from")}      ${sidesWords[sidesFrom]}`,
    ...(aside === undefined ? [] : [`  ${paint.dim("kept")}      the file as it was, in ${aside}`]),
    ...(add === undefined ? [] : [`  ${paint.dim("now")}       git add ${add}`]),
  ];
}

function mergedLines(answer: MergedAnswer, paint: Paint): string[] {
  const { issueCount = 0, out = "", renamed = [], conflicts = [], leasesEnded = [] } = answer;
  return [
    `  ${paint.good(`${grouped(issueCount)} issues merged`)}  ${paint.dim(out)}`,
    ...renamed.map(({ from, to }) => `  ${paint.note("renamed")}   ${from} → ${to}, with its references`),
    ...conflicts.map(
      ({ issueId, member }) =>
        `  ${paint.note("conflict")}  ${issueId} ${member}: the other value is in its metadata`,
    ),
    ...leasesEnded.map(
      (id) =>
        `  ${paint.note("lease")}     ${id} was held on both sides or is no longer in progress; claim it again`,
    ),
  ];
}
