/** The tests that `npm run mutate` chose, set up as always, the quick ones first: one that fails ends the run. */
import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import base from "../../vitest.config.js";

const { tests } = JSON.parse(process.env["BRIDLE_TEST_MUTATE"] ?? "{}") as { readonly tests?: string[] };

/** As they took in the first run that is known of, which has no mistake in it; a file that fails early looks quick. */
const milliseconds = new Map<string, number>();

class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    for (const { moduleId, project } of files) {
      const known = this.ctx.cache.getFileTestResults(
        `${project.name}:${relative(this.ctx.config.root, moduleId)}`,
      );
      if (known !== undefined && !known.failed && !milliseconds.has(moduleId))
        milliseconds.set(moduleId, known.duration);
    }
    const of = ({ moduleId }: TestSpecification) => milliseconds.get(moduleId) ?? 0;
    return files.toSorted((one, other) => of(one) - of(other));
  }
}

export default {
  ...base,
  test: {
    ...base.test,
    include: tests ?? [],
    sequence: { sequencer: QuickFirst },
    // Sources with mistakes in them are slow; what takes too long is for Stryker to say.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
};
