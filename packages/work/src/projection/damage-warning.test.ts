/** What a person is told about lines that are no steps. */
import { describe, expect, it } from "vitest";
import { damageWarning } from "./damage-warning.js";
import type { FoundDamage, TrajectoryAnswer } from "./trajectory.js";

const place = (change: Partial<FoundDamage> = {}): FoundDamage => ({
  line: 812,
  byte: 241_033,
  problem: "text that is not JSON",
  kind: "json_invalid",
  readable: false,
  ...change,
});
const answer = (damage: FoundDamage[], damageCount = damage.length): TrajectoryAnswer => ({
  items: [],
  totalCount: 901,
  failedCount: 0,
  retryNeededCount: 0,
  damage,
  damageCount,
  stepsBeforeDamage: 811,
});
const path = ".premath/harness_trajectory.jsonl";

describe("the warning", () => {
  it("is silent when there is nothing to say", () => {
    expect(damageWarning(answer([]), path)).toBeUndefined();
  });

  it("names the line, the byte, what is wrong, what is fine, and what to do", () => {
    expect(damageWarning(answer([place()]), path)).toBe(
      `${path} line 812 (byte 241,033) is not valid JSON; 811 rows before and 90 after it are fine.\n` +
        `Nothing was changed. \`bridle log repair ${path}\` sets it aside.`,
    );
  });

  it("does not promise a repair of a row that is JSON but no step", () => {
    const found = place({
      kind: "step_invalid",
      problem: 'finishedAt is "x", expected an RFC3339 timestamp',
    });
    expect(damageWarning(answer([found]), path)).toBe(
      `${path} line 812 (byte 241,033) is no step (finishedAt is "x", expected an RFC3339 timestamp); ` +
        "811 rows before and 90 after it are fine.\nNothing was changed; the line is not in the answer.",
    );
  });

  it("counts where there is more than one, and names the first", () => {
    expect(damageWarning(answer([place(), place({ line: 900 })], 3), path)).toBe(
      `${path} is damaged in 3 places; the first, line 812 (byte 241,033), is not valid JSON. 901 rows are fine.\n` +
        `Nothing was changed. \`bridle log repair ${path}\` sets what is no row aside.`,
    );
  });

  it("says that a row was answered where it could be read all the same", () => {
    const found = place({ kind: "byte_order_mark", readable: true, line: 1, byte: 0 });
    expect(damageWarning(answer([found]), path)).toContain(
      "starts with a byte order mark; what stands there was answered",
    );
    expect(damageWarning(answer([found]), path)).toContain("mends it");
    expect(damageWarning(answer([found, found]), path)).toContain("mends them");
    const changed = place({ kind: "checksum_mismatch", readable: true });
    expect(damageWarning(answer([changed]), path)).toContain("differ from the checksum");
    expect(damageWarning(answer([changed]), path)).toContain("accepts the rows as they stand");
  });

  it.each([
    "nul_bytes",
    "utf8_invalid",
    "merge_marker",
    "row_not_object",
    "line_too_long",
    "carriage_return",
  ] as const)("has words for %s", (kind) =>
    expect(damageWarning(answer([place({ kind })]), path)).toMatch(
      /line 812 \(byte 241,033\) (holds|is|ends) /,
    ),
  );
});
