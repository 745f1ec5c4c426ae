/**
 * `premath issue merge`: two issues files that grew from a third, made one; and
 * the merge driver that lets git do it.
 *
 * It is here and not in `work` because installing runs git.
 */
import { basename, dirname, join, relative, resolve } from "node:path";
import { type Call, defineOperation, type Paint } from "@bridle/operation";
import { isRefusal, locatePath, Log, putFile, refuse, type Refusal, grouped } from "@bridle/record";
import { mergeIssues, type MergedIssues, readSource, readTree, treeText } from "@bridle/work";
import * as Type from "typebox";
import { installDriver, uninstallDriver } from "./merge-driver.js";

const file = (position: number, description: string) =>
  Type.Optional(Type.String({ minLength: 1, "x-position": position, "x-placeholder": "file", description }));

export const issueMerge = defineOperation({
  names: {
    id: "op/issue.merge",
    action: "issue.merge",
    command: ["issue", "merge"],
    tool: "issue_merge",
  },
  family: "premath",
  effect: "mutate",
  surfaces: ["cli"],
  summary: "Merge two issues files that grew from a third, by hand or for git.",
  description:
    "An issue that one side changed is taken as it is. Of one that both changed, each member is taken from the side " +
    "that changed it; where both did, the later updated_at wins and the other value is kept in " +
    "metadata.mergeConflicts. One id for two issues: the older keeps it, the other is renamed with its references and " +
    "an alias. Two leases on one issue both end, with the fence above either. The result replaces <ours>, sorted by " +
    "id, and is the same whichever side is ours. A damaged file is refused and nothing is written. " +
    "--install makes this the repository's git merge driver.",
  examples: [
    { command: "premath issue merge --install", says: "lets git merge issues with it from now on" },
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
        Type.String({ minLength: 1, "x-placeholder": "file", description: "Where the result goes instead." }),
      ),
      name: Type.Optional(
        Type.String({
          "x-placeholder": "path",
          description: "How the file is called in messages; %P for git.",
        }),
      ),
      install: Type.Optional(Type.Boolean({ description: "Make this the repository's git merge driver." })),
      uninstall: Type.Optional(Type.Boolean({ description: "Take the merge driver out again." })),
      issuesPath: Type.Optional(
        Type.String({
          minLength: 1,
          "x-flag": "issues",
          "x-placeholder": "path",
          description: "With --install: the issue memory, .premath/issues.jsonl when left out.",
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("issue.merge"),
    did: Type.Enum(["merged", "installed", "uninstalled"]),
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
    attributesPath: Type.Optional(Type.String()),
    command: Type.Optional(Type.String({ description: "What git runs." })),
  }),
  async run(input, call) {
    const { base, ours, theirs } = input;
    if (input.install === true || input.uninstall === true) return setUp(input, call);
    if (base === undefined || ours === undefined || theirs === undefined) {
      return refuse("input_invalid", {
        message: "a merge needs three files: <base> <ours> <theirs>",
        hint: "Or let git do it: `premath issue merge --install`.",
      });
    }
    const sides = { base, ours, theirs, out: input.out ?? ours };
    const merged = await mergeFiles(sides, input.name, call);
    if (isRefusal(merged)) return merged;
    const { renamed, conflicts, leasesEnded, cycle, rows } = merged;
    if (cycle !== undefined) {
      call.warn(`${cycle.join(" → ")} wait for each other now; \`premath dep diagnostics\` shows it.`);
    }
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
  { ports, signal, warn }: Call,
): Promise<MergedIssues | Refusal> {
  const log = await Log.open({ path, bearing: "state", comments: true, ports, signal, notice: warn });
  try {
    return await log.transact<MergedIssues | Refusal>(async () => {
      const merged = await merge();
      if (isRefusal(merged)) return { answer: merged };
      const lines = treeText(merged).split("\n").slice(0, -1);
      return {
        answer: merged,
        rewrite: async function* () {
          yield* lines;
        },
      };
    });
  } finally {
    await log.close();
  }
}

interface SetUpInput {
  readonly install?: boolean;
  readonly uninstall?: boolean;
  readonly base?: string;
  readonly issuesPath?: string;
}

async function setUp(input: SetUpInput, call: Call) {
  const { ports, cwd, env } = call;
  if (input.base !== undefined || (input.install === true && input.uninstall === true)) {
    return refuse("input_invalid", {
      message: "--install and --uninstall stand alone",
      hint: "Name three files to merge them, or one of the two without files.",
    });
  }
  const { issuesPath: flag } = input;
  // Each worktree has its own checkout of the file, and git merges that one.
  const named = await locatePath({
    files: ports.files,
    cwd,
    env,
    flag,
    fallback: ".premath/issues.jsonl",
    own: true,
  });
  const there = await existing(dirname(named), call);
  const folder = await ports.files.realPath(there);
  const inRepository = { issues: join(folder, relative(there, named)), folder, env, ports };
  const installs = input.install === true;
  const done = installs
    ? await installDriver(inRepository, resolve(process.argv[1] ?? "premath"))
    : await uninstallDriver(inRepository);
  if (isRefusal(done)) return done;
  return {
    action: "issue.merge" as const,
    did: installs ? ("installed" as const) : ("uninstalled" as const),
    ...done,
  };
}

/** The folder, or the nearest one above that is there. */
async function existing(folder: string, call: Call): Promise<string> {
  for (let at = folder; ; at = dirname(at)) {
    if ((await call.ports.files.stat(at))?.kind === "directory" || at === dirname(at)) return at;
  }
}

function mergedLines(
  answer: {
    readonly issueCount?: number;
    readonly out?: string;
    readonly renamed?: readonly { readonly from: string; readonly to: string }[];
    readonly conflicts?: readonly { readonly issueId: string; readonly member: string }[];
    readonly leasesEnded?: readonly string[];
  },
  paint: Paint,
): string[] {
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
