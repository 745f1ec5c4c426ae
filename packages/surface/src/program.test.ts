import { defineOperation, type Operation } from "@bridle/operation";
import * as Type from "typebox";
import { describe, expect, it } from "vitest";
import { runProgram } from "./program.js";

function greeting(name: string, family = "greeter"): Operation {
  return defineOperation({
    names: { id: `op/greeter.${name}`, action: `greeter.${name}`, command: [name], tool: name },
    family,
    effect: "read",
    surfaces: ["cli", "mcp"],
    summary: "Greet somebody.",
    examples: [{ command: `${family} ${name}`, says: "greets" }],
    input: Type.Object({}, { additionalProperties: false }),
    output: Type.Object({}),
    run: async () => ({}),
  }) as unknown as Operation;
}

const program = { name: "greeter", version: "1.0.0", summary: "Greets." };

/** What it does when all is well, and over MCP, is in test/end-to-end/package.test.ts. */
describe("a program of one's own", () => {
  it("is refused before anything runs when an operation belongs to another program", async () => {
    await expect(runProgram({ ...program, operations: [greeting("wave", "waver")] })).rejects.toThrow(
      'operation op/greeter.wave: its family is "waver", not "greeter"',
    );
  });

  it("is refused when two operations share a name, also that of mcp-serve", async () => {
    const twice = [greeting("wave"), greeting("wave")];
    await expect(runProgram({ ...program, operations: twice })).rejects.toThrow("already belongs to");
    const taken = { ...greeting("wave"), names: { ...greeting("wave").names, tool: "mcp_serve" } };
    await expect(runProgram({ ...program, operations: [taken] })).rejects.toThrow("mcp_serve");
  });
});
