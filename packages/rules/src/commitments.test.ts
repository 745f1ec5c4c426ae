import { describe, expect, it } from "vitest";
import { type Commitment, firstBroken, needsTiers } from "./commitments.js";

const of = (given: Partial<Commitment>): Commitment => ({
  text: "no",
  paths: [],
  tools: [],
  needs: [],
  ...given,
});
const isBroken = (given: Partial<Commitment>, call: Parameters<typeof firstBroken>[1]) =>
  firstBroken([of(given)], call) !== undefined;

describe("a commitment", () => {
  it("protects its paths from whoever says that it changes them, and nothing else", () => {
    const keep = { paths: ["keep/", "*.lock"] };
    expect(isBroken(keep, { tool: "write_file", changes: ["src/a", "keep/a"] })).toBe(true);
    expect(isBroken(keep, { tool: "move", changes: ["web/yarn.lock"] })).toBe(true);
    expect(isBroken(keep, { tool: "write_file", changes: ["keeper/a"] })).toBe(false);
    expect(isBroken(keep, { tool: "read_file" })).toBe(false);
    // What a command does to a path is held by the wall and by comparing.
    expect(isBroken(keep, { tool: "run_shell", changes: "anything", needs: "write" })).toBe(false);
  });

  it("rules its tools out", () => {
    expect(isBroken({ tools: ["web_fetch"] }, { tool: "web_fetch" })).toBe(true);
    expect(isBroken({ tools: ["web_fetch"] }, { tool: "web_search" })).toBe(false);
  });

  it("rules out commands that need a tier of its own or more", () => {
    for (const [at, tier] of needsTiers.entries())
      for (const [i, needs] of needsTiers.entries())
        expect(isBroken({ needs: [tier] }, { tool: "run_shell", needs }), `${tier} ${needs}`).toBe(i >= at);
    expect(isBroken({ needs: ["write"] }, { tool: "write_file", changes: ["a"] })).toBe(false);
  });

  it("in words alone holds nobody back, and none holds plan back", () => {
    expect(isBroken({ text: "Never delete anything." }, { tool: "run_shell", needs: "host" })).toBe(false);
    expect(isBroken({ tools: ["plan"], paths: ["a"] }, { tool: "plan", changes: ["a"] })).toBe(false);
  });

  it("says which call breaks which, and how", () => {
    const broken = firstBroken([of({}), of({ text: "the API stays", paths: ["api"] })], {
      ...{ tool: "edit_file", changes: ["api/a.ts"] },
    });
    expect(broken).toBe('edit_file changes api/a.ts, against the commitment "the API stays".');
  });
});
