/**
 * Nights to be interrupted: issues whose work goes in different ways, written so that however often a worker is killed,
 * the night ends as the undisturbed one does.
 */
import type { JsonObject } from "@bridle/record";
import { Random } from "@bridle/testing";
import { RunnerProject } from "./runner-project.js";

/** For bash, in the worktree; `$n` is the issue, `$attempt` counts from 1. */
const ways = {
  adds: 'echo "$n" > "out/$n"',
  commits: 'echo "$n" > "out/$n"; git add -A; git commit -qm mine',
  removes: 'git rm -q "old/$n"',
  breaks: "echo bad > src/sum.sh",
  tampers: "echo exit 0 > test/sum.test.sh",
  idles: "true",
  fails: 'echo "$n" > "out/$n"; exit 3',
  "fails once": 'echo "$n" > "out/$n"; [ "$attempt" != 1 ]',
  "asks for more": `echo "$n" > "out/$n"; echo '[{"kind":"issue","title":"After '"$n"'"}]' > "$BRIDLE_PROPOSALS"`,
  remarks: `echo "$n" > "out/$n"; echo '[{"kind":"comment","text":"seen by '"$n"'"}]' > "$BRIDLE_PROPOSALS"`,
  "leaves a key": 'echo "$n" > "out/$n"; echo key=1 > .env; echo key > id_rsa',
  "needs no change": "true",
  "changes what all change": 'echo "$n" >> shared',
} as const;
type Way = keyof typeof ways;
const names = Object.keys(ways) as Way[];

export interface Night {
  readonly name: string;
  /** Where chance starts for whoever disturbs it. */
  readonly seed: number;
  readonly ways: readonly Way[];
  readonly merge: "auto" | "review";
}

/** The n-th of them: another mixture each, and each way in one of the first few. */
export function night(n: number, issues: number): Night {
  const random = new Random(n + 1);
  const drawn = Array.from({ length: issues }, (_, i) =>
    i === 0 ? names[n % names.length]! : names[random.between(0, names.length - 1)]!,
  );
  const merge = n % 7 === 6 ? "review" : "auto";
  return { name: `${n} (${merge}: ${drawn.join(", ")})`, seed: n, ways: drawn, merge };
}

/** Told by the issue's number which way it goes; an issue that came up on the way just adds its file. */
export function workOf({ ways: drawn }: Night): string {
  const cases = drawn.map((way, i) => `bd-${i + 1}) ${ways[way]} ;;`);
  return [
    'echo "$BRIDLE_STEP" >> "$HOME/begun"; mkdir -p out; n=$PREMATH_ISSUE_ID',
    `attempt=$(sed -n 's/^  "attempt": \\([0-9]*\\).*/\\1/p' "$BRIDLE_STEP_FILE")`,
    'case "$n" in',
    ...cases,
    `*) title=$(sed -n 's/^    "title": "\\(.*\\)",$/\\1/p' "$BRIDLE_STEP_FILE"); echo "$title" > "out/$title" ;;`,
    "esac",
  ].join("\n");
}

export function projectOf({ ways: drawn }: Night): RunnerProject {
  const project = new RunnerProject({ issues: drawn.length });
  project.put("shared", "\n");
  drawn.forEach((_, i) => project.put(`old/bd-${i + 1}`, "old\n"));
  project.commit("what they find");
  const rows = drawn.map((way, i) => ({
    ...{ id: `bd-${i + 1}`, title: `Issue ${i + 1}` },
    ...(way === "needs no change" ? { labels: ["no-change"] } : {}),
  }));
  project.put(".premath/issues.jsonl", rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  return project;
}

/** What must be the same however the night went: each issue by its title, and the files of the target. */
export function endOf(project: RunnerProject): JsonObject {
  const last = new Map<string, JsonObject>();
  for (const line of project.read(".premath/issues.jsonl").trim().split("\n")) {
    const row = JSON.parse(line) as JsonObject;
    last.set(String(row["id"]), row);
  }
  const rows = [...last.values()];
  const issues = rows.map((row) => ({
    title: row["title"] ?? null,
    status: row["status"] ?? "open",
    failure:
      row["status"] === "closed" ? null : (((row["left"] ?? {}) as JsonObject)["failure_class"] ?? null),
    labels: row["labels"] ?? [],
    verified: row["verified"] !== undefined,
    remarks: ((row["comments"] ?? []) as readonly JsonObject[])
      .map(({ text }) => String(text))
      .filter((text) => text.startsWith("seen by")),
  }));
  return {
    issues: issues.toSorted((left, right) => (String(left.title) < String(right.title) ? -1 : 1)),
    target: project.git("ls-tree", "-r", "--format=%(path) %(objectname)", "bridle/main").split("\n"),
  };
}
