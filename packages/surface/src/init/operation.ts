/** `bridle init`: this folder made ready, after its plan was shown and somebody said yes; `--undo` takes it back. */
import { type Call, defineOperation, type Paint } from "@bridle/operation";
import { gitFoldersOf, isRefusal, refuse } from "@bridle/record";
import * as Type from "typebox";
import { apply, undo } from "./apply.js";
import { planFor, shownIn } from "./plan.js";
import { laneName } from "./sections.js";
import type { Plan } from "./types.js";

/** How a person is asked, where there is one. */
export interface Asker {
  readonly isPerson: boolean;
  /** Shows the text and waits for a line; undefined when none comes. */
  ask(text: string, signal: AbortSignal): Promise<string | undefined>;
}

const output = Type.Object({
  action: Type.Literal("bridle.init"),
  did: Type.Enum(["done", "planned", "declined", "nothing", "undone"]),
  folder: Type.String(),
  changes: Type.Array(
    Type.Object({
      path: Type.String(),
      how: Type.Enum(["makes", "adds", "restored", "removed", "left"]),
      says: Type.String(),
    }),
  ),
  checks: Type.Array(Type.String(), { description: "Commands of the first map of required checks." }),
  lane: Type.Union([Type.String(), Type.Null()], { description: "The lane that is opened, or was closed." }),
  notes: Type.Array(Type.String()),
  commit: Type.Array(Type.String(), { description: "What to commit, because gates read commits." }),
  ignored: Type.Array(Type.String(), {
    description: "Of these, what git ignores by lines that were there before.",
  }),
});
type Answer = Type.Static<typeof output>;

export function initOperation(asker: () => Promise<Asker>, program: () => string) {
  return defineOperation({
    names: { id: "op/bridle.init", action: "bridle.init", command: ["init"], tool: "bridle_init" },
    family: "bridle",
    effect: "mutate",
    needs: "person",
    surfaces: ["cli"],
    summary: "Make this repository ready for issues, agents and checks.",
    description:
      "Makes .premath/ and .bridle/, adds what git should ignore, the merge driver of issues, a server for MCP clients " +
      "with the lane it acts under, a section in AGENTS.md and a first map of required checks, sealed. Shows what it will " +
      "do and does it on a yes; twice changes nothing; interrupted, a second one finishes. --undo restores the bytes " +
      "that were there where nobody changed them since, says what it leaves, and removes no issue.",
    examples: [
      { command: "bridle init", says: "shows what it will do, and asks" },
      { command: "bridle init --yes", says: "does it" },
      { command: "bridle init --undo", says: "takes it back" },
    ],
    input: Type.Object(
      {
        yes: Type.Optional(Type.Boolean({ description: "Do it without asking." })),
        undo: Type.Optional(Type.Boolean({ description: "Restore what init changed." })),
      },
      { additionalProperties: false },
    ),
    output,
    async run({ yes = false, undo: back = false }, call) {
      if (yes && back)
        return refuse("input_invalid", {
          message: "--undo takes back; it needs no --yes",
          hint: "Leave --yes out.",
        });
      if (back) return takeBack(call);
      const plan = await planFor(call, program());
      if (isRefusal(plan)) return plan;
      if (plan.changes.length === 0 && !plan.opensLane) return answer(plan, "nothing");
      if (!yes) {
        const person = await asker();
        if (!person.isPerson || call.wantsJson === true) return answer(plan, "planned");
        const said = await person.ask(
          `${planLines(answer(plan, "planned")).join("\n")}\n  Do it? [Y/n] `,
          call.signal,
        );
        if (said === undefined || !/^(?:|y|yes)$/i.test(said.trim())) return answer(plan, "declined");
      }
      await apply(plan, call);
      const done = answer(plan, "done");
      return { ...done, ignored: await ignoredIn(plan.top, done.commit, call) };
    },
    present: presented,
  });
}

function answer(plan: Plan, did: "done" | "planned" | "declined" | "nothing"): Answer {
  const { top, changes } = plan;
  const shown = changes.map(({ path, before, says }) => ({
    path: shownIn(top, path),
    how: before === undefined ? ("makes" as const) : ("adds" as const),
    says,
  }));
  return {
    action: "bridle.init",
    did,
    folder: top,
    changes: shown,
    checks: [...plan.checks],
    lane: plan.opensLane ? laneName : null,
    notes: [...plan.notes],
    ignored: [],
    commit: did === "done" ? shown.map(({ path }) => path).filter((path) => !path.endsWith("/config")) : [],
  };
}

async function ignoredIn(top: string, paths: readonly string[], { ports }: Call): Promise<string[]> {
  if (paths.length === 0 || (await gitFoldersOf(top, ports.files)) === undefined) return [];
  const said = await ports.git?.run(top, ["check-ignore", "--", ...paths]);
  return Buffer.from(said?.stdout ?? [])
    .toString("utf8")
    .split("\n")
    .filter((path) => path !== "");
}

async function takeBack(call: Call) {
  const top = (await gitFoldersOf(call.cwd, call.ports.files))?.top ?? call.cwd;
  const undone = await undo(top, call);
  if (undone === undefined)
    return refuse("init_refused", {
      message: `there is no record of an init in ${top}`,
      hint: "Where it ran in another folder, go there.",
    });
  const row = (how: "restored" | "removed" | "left", says: string) => (path: string) => ({
    path: shownIn(top, path),
    how,
    says,
  });
  return {
    action: "bridle.init" as const,
    did: "undone" as const,
    folder: top,
    changes: [
      ...undone.restored.map(row("restored", "as it was")),
      ...undone.removed.map(row("removed", "there was none before")),
      ...undone.left.map(row("left", "changed since; it stays as it is")),
    ],
    checks: [],
    lane: undone.lane,
    notes: [],
    commit: [],
    ignored: [],
  };
}

function planLines({ changes, checks, lane, notes }: Answer): string[] {
  const width = Math.max(0, ...changes.map(({ path }) => path.length));
  const of = (how: string) => changes.filter((change) => change.how === how);
  const block = (head: string, how: string) =>
    of(how).map(
      ({ path, says }, i) => `  ${(i === 0 ? head : "").padEnd(13)} ${path.padEnd(width)}  ${says}`,
    );
  return [
    ...block("will make", "makes"),
    ...block("will add to", "adds"),
    ...(lane === null
      ? []
      : [`  ${"will open".padEnd(13)} lane ${lane}, for 30 days: what MCP clients may change issues under`]),
    ...(checks.length === 0 ? [] : [`  ${"checks found".padEnd(13)} ${checks.join(" · ")}`]),
    ...notes.map((note) => `  ${"note".padEnd(13)} ${note}`),
  ];
}

function presented(given: Answer, paint: Paint): string {
  const { did, changes, lane, commit, ignored, folder } = given;
  const add = ignored.length === 0 ? "git add" : "git add -f";
  switch (did) {
    case "nothing":
      return `  ${paint.good("nothing to do")} ${paint.dim(`${folder} is ready`)}`;
    case "declined":
      return "  nothing was changed";
    case "planned":
      return [...planLines(given), "  nothing was changed; `bridle init --yes` does it"].join("\n");
    case "undone":
      return [
        ...changes.map(
          ({ path, how, says }) =>
            `  ${how === "left" ? paint.note("left    ") : how.padEnd(8)}  ${path}  ${paint.dim(says)}`,
        ),
        ...(lane === null ? [] : [`  closed    lane ${lane}`]),
        `  ${paint.good("taken back")}`,
      ].join("\n");
    case "done":
      return [
        `  ${paint.good("done")}. \`bridle add "…"\` is the first issue, \`bridle work start\` works on what is ready, \`bridle init --undo\` takes this back.`,
        ...(commit.length === 0
          ? []
          : [
              `  Commit these, because gates read commits: ${add} ${commit.join(" ")} && git commit -m "Bridle"`,
            ]),
      ].join("\n");
  }
}
