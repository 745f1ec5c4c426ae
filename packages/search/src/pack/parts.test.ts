/** The parts of a pack keep apart what is learnt from and what is judged. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Change, loadBroken } from "../../../../test/support/broken-copy.js";
import { holds } from "../../../../test/support/property.js";
import { share } from "../../../../test/support/scale.js";
import { stressEpisode } from "../../../../test/support/stress-episode.js";
import { driveEpisode } from "../../../../test/support/search-drive.js";
import { heuristicPolicy } from "../policy/heuristic.js";
import { type Lesson, lessonOf } from "../train/examples.js";
import { modelText } from "../train/model.js";
import { endHourOf } from "../window.js";
import { trainModel } from "../train/train.js";
import { partAt, partsOf } from "./parts.js";

/** What learns must have seen its outcomes before what judges begins; the first pair that does not, in words. */
function splitLeaks(
  api: { partAt: typeof partAt; partsOf: typeof partsOf },
  horizon: number,
): string | undefined {
  for (const length of [200, 1_000, 3_000]) {
    const first = 483_000;
    const parts = api.partsOf({ first, last: first + length }, horizon);
    if (parts === null) return "there are no parts";
    const hours = Array.from({ length: length + 1 }, (_, i) => first + i);
    const of = (part: string) => hours.filter((hour) => api.partAt(parts, hour) === part);
    const [train, validation, test] = [of("train"), of("validation"), of("test")];
    const apart = Math.max(24, horizon);
    for (const [earlier, later] of [
      [train, validation],
      [validation, test],
      [train, test],
    ] as const) {
      if (Math.max(...earlier) + apart >= Math.min(...later))
        return `${Math.max(...earlier)} and ${Math.min(...later)}`;
    }
    if (train.length === 0 || test.length < length / 5) return "a part is too small";
  }
  return undefined;
}

/** Whether another future changes what was learnt. */
async function learnsFromTheFuture(api: { trainModel: typeof trainModel }): Promise<boolean> {
  const lessons = await allLessons();
  const others = lessons.map((lesson) =>
    lesson.part === "train" || lesson.part === "validation" ? lesson : turned(lesson),
  );
  const weights = (of: readonly Lesson[]) => modelText(api.trainModel(of, { embargoHours: 24 }));
  const own = weights(lessons);
  return weights(others) !== own || weights(lessons.filter(({ part }) => part !== "test")) !== own;
}

const turned = (lesson: Lesson): Lesson => ({
  ...lesson,
  stop: lesson.stop.map((moment) => ({ ...moment, positive: !moment.positive })),
});

let made: Promise<Lesson[]> | undefined;
function allLessons(): Promise<Lesson[]> {
  return (made ??= (async () => {
    const [days, coins] = [share(60, 36), share(8, 6)];
    const parts = partsOf({ first: 487_000, last: 487_000 + 24 * days }, 3);
    if (parts === null) throw new Error("there are parts");
    const lessons: Lesson[] = [];
    for (let day = 0; day < days; day++) {
      for (let coin = 0; coin < coins; coin++) {
        const at = new Date((487_000 + day * 24) * 3_600_000).toISOString();
        const goesOn = (coin + day) % 3 === 0;
        const episode = stressEpisode({
          market: `C${coin}`,
          hour: `${at.slice(0, 13)}:00Z`,
          earlier: 6,
          persisted: coin % 2 === 0 ? 5 : 1,
          truth: goesOn ? "finalize_signal" : "finalize_low_signal",
        });
        const { artifacts, steps } = await driveEpisode(heuristicPolicy({ thorough: true }), episode);
        const part = partAt(parts, endHourOf(episode.window_id) as number);
        lessons.push(lessonOf({ packId: "p", part, episode, artifacts, steps }));
      }
    }
    return lessons;
  })());
}

const planted = {
  "the last day before the validation part is learnt from": {
    file: "search/src/pack/parts.ts",
    find: 'return hour < validation_from_hour - embargo_hours ? "train" : undefined;',
    replace: 'return hour < validation_from_hour ? "train" : undefined;',
  },
  "the last day before the test part validates": {
    file: "search/src/pack/parts.ts",
    find: 'return hour < test_from_hour - embargo_hours ? "validation" : undefined;',
    replace: 'return "validation";',
  },
  "a horizon of more than a day is forgotten": {
    file: "search/src/pack/parts.ts",
    find: "embargo_hours: Math.max(dayHours, horizonHours),",
    replace: "embargo_hours: dayHours,",
  },
} as const satisfies Record<string, Change>;

describe("the parts of a pack", () => {
  it("lie a day or the horizon apart", () => {
    for (const horizon of [0, 3, 24, 48]) expect(splitLeaks({ partAt, partsOf }, horizon)).toBeUndefined();
    holds(
      fc.property(fc.integer({ min: 0, max: 6_000 }), fc.integer({ min: 0, max: 100 }), (length, horizon) => {
        const parts = partsOf({ first: 400_000, last: 400_000 + length }, horizon);
        expect(parts?.embargo_hours).toBe(Math.max(24, horizon));
        expect((parts?.test_from_hour ?? 0) % 24).toBe(0);
      }),
    );
  });

  it("leave nothing of the test part in what is learnt", async () => {
    expect(await learnsFromTheFuture({ trainModel })).toBe(false);
  });

  it("are found wrong when a look into the future is planted in the split or in the training", async () => {
    const missed: string[] = [];
    for (const [name, change] of Object.entries(planted)) {
      const broken = await loadBroken<{ partAt: typeof partAt; partsOf: typeof partsOf }>(
        "search/src/pack/parts.ts",
        [change],
      );
      if ([3, 48].every((horizon) => splitLeaks(broken, horizon) === undefined)) missed.push(name);
    }
    for (const replace of ["true", 'lesson.part !== "validation" || part === "validation"']) {
      const broken = await loadBroken<{ trainModel: typeof trainModel }>("search/src/train/train.ts", [
        { file: "search/src/train/train.ts", find: "lesson.part === part)", replace: `${replace})` },
      ]);
      if (!(await learnsFromTheFuture(broken))) missed.push(`training: ${replace}`);
    }
    expect(missed).toEqual([]);
    console.log(
      `proof: parts: ${Object.keys(planted).length + 2} planted looks into the future of split and training, each found`,
    );
  }, 120_000);
});
