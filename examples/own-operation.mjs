/**
 * An operation of your own, on the command line and over MCP, from one definition.
 *
 *     node own-operation.mjs greet Ada
 *     node own-operation.mjs greet Ada --times 2 --json
 *     node own-operation.mjs --help
 *     node own-operation.mjs mcp-serve        # the same as a tool, for an MCP client
 */
// @ts-check
import { defineOperation } from "bridle/operation";
import { refuse } from "bridle/record";
import { runProgram } from "bridle/surface";
import * as Type from "typebox";

const greet = defineOperation({
  names: { id: "op/greeter.greet", action: "greeter.greet", command: ["greet"], tool: "greet" },
  family: "greeter",
  effect: "read",
  surfaces: ["cli", "mcp"],
  summary: "Greet somebody.",
  examples: [{ command: "greeter greet Ada", says: "says hello to Ada" }],
  input: Type.Object(
    {
      name: Type.String({ description: "Who is greeted.", "x-position": 0 }),
      times: Type.Optional(Type.Integer({ minimum: 1, maximum: 9, description: "How often." })),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ greetings: Type.Array(Type.String()) }),
  async run({ name, times = 1 }) {
    // What is expected to go wrong is an answer with a class, not an exception.
    if (name.trim() === "")
      return refuse("input_invalid", { message: "nobody is there to greet", hint: "Give a name." });
    return { greetings: Array.from({ length: times }, () => `Hello, ${name}.`) };
  },
  present: ({ greetings }) => greetings.join("\n"),
});

/** @type {import("bridle/surface").Program} */
const program = { name: "greeter", version: "1.0.0", summary: "Greets people.", operations: [greet] };
await runProgram(program);
