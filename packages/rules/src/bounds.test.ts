import { describe, expect, it } from "vitest";
import { BoundsMeter } from "./bounds.js";

describe("the meter of a plan's bounds", () => {
  it("a plan without bounds bounds nothing", () => {
    const meter = new BoundsMeter();
    meter.start({}, { round: 1, ms: 0, costUsd: 0 });
    for (let round = 1; round < 500; round += 1) meter.count(round);
    expect(meter.judge({ round: 500, ms: 1e12, costUsd: 1e6 })).toBeUndefined();
  });

  it.each(["maxSteps", "maxMinutes", "maxToolCalls", "maxCostUsd"])("a %s of 0 allows nothing", (name) => {
    const meter = new BoundsMeter();
    meter.start({ [name]: 0 }, { round: 1, ms: 10, costUsd: 1 });
    expect(meter.judge({ round: 2, ms: 10, costUsd: 1 })).toBeDefined();
  });

  it("the calls of one round are one step, in the round of the plan too", () => {
    const meter = new BoundsMeter();
    meter.start({ maxSteps: 2 }, { round: 1 });
    meter.count(1);
    meter.count(1);
    meter.count(2);
    expect(meter.judge({ round: 2 })).toBeUndefined();
    expect(meter.judge({ round: 3 })?.bound).toBe("max_steps");
  });

  it("minutes and cost count from the plan, not from the send", () => {
    const meter = new BoundsMeter();
    meter.start({ maxMinutes: 2, maxCostUsd: 0.5 }, { round: 4, ms: 600_000, costUsd: 3 });
    expect(meter.judge({ round: 5, ms: 719_000, costUsd: 3.4 })).toBeUndefined();
    expect(meter.judge({ round: 5, ms: 720_000, costUsd: 3.4 })?.bound).toBe("max_minutes");
    expect(meter.judge({ round: 5, ms: 601_000, costUsd: 3.5 })?.bound).toBe("max_cost_usd");
  });

  it("a new plan starts the count again", () => {
    const meter = new BoundsMeter();
    meter.start({ maxToolCalls: 1 }, { round: 1 });
    meter.count(2);
    expect(meter.judge({ round: 3 })?.message).toContain("1 tool call (max_tool_calls)");
    meter.start({ maxToolCalls: 2 }, { round: 3 });
    expect(meter.judge({ round: 3 })).toBeUndefined();
  });
});
