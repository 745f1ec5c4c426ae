/** Whether another process lives, as the real machine tells it. */
import { describe, expect, it } from "vitest";
import { nodeProcesses as processes } from "./node-processes.js";
import type { ProcessIdentity } from "./types.js";

describe("another process", () => {
  it("is known by its start, its boot and its pid space", async () => {
    const self = await processes.self();
    const judged = (other: Partial<ProcessIdentity>) => processes.liveness({ ...self, ...other });
    expect(await judged({})).toBe("alive");
    expect(await judged({ startTime: "1" })).toBe("gone");
    expect(await judged({ startTime: "unknown" })).toBe("unknown");
    expect(await judged({ pid: 2 ** 22 + 1 })).toBe("gone");
    expect(await judged({ bootId: "another" })).toBe("gone");
    expect(await judged({ bootId: "another", host: "elsewhere" })).toBe("unknown");
    expect(await judged({ pidNamespace: "another" })).toBe("unknown");
  });

  it("of this boot names the boot as the kernel does, without the end of the line", async () => {
    expect((await processes.self()).bootId).toMatch(/^[0-9a-f-]{36}$/);
  });
});
