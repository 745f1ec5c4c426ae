/**
 * A small table of operations for the tests of the MCP server: one of each kind
 * that the server must get right, and those that the conformance scenarios call
 * by name. They go through the real pipeline and the real gates.
 */
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Family, type Operation, defineOperation } from "@bridle/operation";
import { refuse } from "@bridle/record";
import * as Type from "typebox";

const nothing = Type.Object({}, { additionalProperties: false });

function named(action: string, family: Family = "bridle"): Pick<Operation, "names" | "family" | "examples"> {
  const words = action.split(".");
  const command = words.map((word) => word.replaceAll("_", "-"));
  const tool = words[0] === "conformance" ? words.slice(1).join("_") : words.join("_");
  return {
    names: { id: `op/${action}`, action, command, tool },
    family,
    examples: [{ command: `${family} ${command.join(" ")}`, says: "as the tests do" }],
  };
}

const echo = defineOperation({
  ...named("fixture.echo"),
  effect: "read",
  surfaces: ["cli", "mcp"],
  summary: "Say the same back.",
  input: Type.Object(
    {
      text: Type.String({ description: "What to say." }),
      issueId: Type.Optional(Type.String({ description: "An argument with two words in its name." })),
      refs: Type.Optional(Type.Array(Type.String(), { "x-flag": "ref", description: "A list." })),
      maxCount: Type.Optional(Type.Integer({ minimum: 1, description: "A bounded number." })),
    },
    { additionalProperties: false },
  ),
  output: Type.Unknown(),
  async run(input, call) {
    if (input.text === "warn") call.warn("You asked for a warning.");
    return { said: input };
  },
});

const note = defineOperation({
  ...named("fixture.note", "premath"),
  effect: "mutate",
  needs: "instruction",
  surfaces: ["cli", "mcp"],
  summary: "Write a line to notes.txt.",
  input: Type.Object({ line: Type.String({ description: "The line." }) }, { additionalProperties: false }),
  output: Type.Unknown(),
  async run({ line }, call) {
    await appendFile(join(call.cwd, "notes.txt"), `${line}\n`);
    return { written: line };
  },
});

/** Leaves `slow-started` and, when it was aborted, `slow-aborted` in the folder. */
const slow = defineOperation({
  ...named("fixture.slow"),
  effect: "read",
  surfaces: ["mcp"],
  summary: "Count slowly until told to stop.",
  input: Type.Object(
    {
      ticks: Type.Integer({ minimum: 1, maximum: 100_000, description: "How far to count." }),
    },
    { additionalProperties: false },
  ),
  output: Type.Unknown(),
  async run({ ticks }, call) {
    await writeFile(join(call.cwd, "slow-started"), "");
    for (let done = 0; done < ticks; done += 1) {
      call.progress({ doing: `tick ${done}`, done, total: ticks });
      await call.ports.clock.sleep(10, call.signal);
      if (call.signal.aborted) {
        await writeFile(join(call.cwd, "slow-aborted"), "");
        call.signal.throwIfAborted();
      }
    }
    // Two at once, as the last thing: the second waits for the first and must still come before the answer.
    call.progress({ doing: "nearly", done: ticks - 0.5, total: ticks });
    call.progress({ doing: "done", done: ticks, total: ticks });
    return { ticks };
  },
});

const refuses = defineOperation({
  ...named("fixture.refuse"),
  effect: "read",
  surfaces: ["mcp"],
  summary: "Say no.",
  input: nothing,
  output: Type.Unknown(),
  run: async () =>
    refuse("session_missing", {
      message: "there is no session here",
      hint: "Write one first.",
      detail: { tried: 1 },
    }),
});

const verdict = {
  effect: "read",
  surfaces: ["mcp"],
  input: nothing,
  output: Type.Unknown(),
  run: async () => ({ result: "rejected", failureClasses: ["step_invalid"] }),
} as const;
const rejects = defineOperation({ ...named("fixture.reject"), ...verdict, summary: "Answer no." });
const judges = defineOperation({
  ...named("fixture.judge"),
  ...verdict,
  summary: "Answer no, which is a good answer.",
  rejectionIsAnswer: true,
});

const breaks = defineOperation({
  ...named("fixture.break"),
  effect: "read",
  surfaces: ["mcp"],
  summary: "Have a bug.",
  input: nothing,
  output: Type.Unknown(),
  run: async () => {
    throw new TypeError("a bug\u001b[31m in two\nlines");
  },
});

const prints = defineOperation({
  ...named("fixture.print"),
  effect: "read",
  surfaces: ["mcp"],
  summary: "Print where only frames belong.",
  input: nothing,
  output: Type.Unknown(),
  async run() {
    console.log("a stray print");
    process.stdout.write("another stray print\n");
    return {};
  },
});

const environment = defineOperation({
  ...named("fixture.environment"),
  effect: "read",
  surfaces: ["mcp"],
  summary: "Say which settings of ours the call can see.",
  input: nothing,
  output: Type.Unknown(),
  run: async (_input, call) => ({
    seen: Object.keys(call.env).filter((name) => name.startsWith("BRIDLE_")),
    cwd: call.cwd,
  }),
});

const hidden = defineOperation({
  ...named("fixture.hidden"),
  effect: "read",
  surfaces: ["cli"],
  summary: "For the command line only.",
  input: nothing,
  output: Type.Unknown(),
  run: async () => ({}),
});

/** What the conformance scenarios call. */
const simpleText = defineOperation({
  ...named("conformance.test_simple_text"),
  effect: "read",
  surfaces: ["mcp"],
  summary: "Return a simple text.",
  input: nothing,
  output: Type.Unknown(),
  run: async () => ({ text: "This is a simple text response for testing." }),
});

const errorHandling = defineOperation({
  ...named("conformance.test_error_handling"),
  effect: "read",
  surfaces: ["mcp"],
  summary: "Always fail.",
  input: nothing,
  output: Type.Unknown(),
  run: async () =>
    refuse("input_invalid", { message: "This tool intentionally returns an error for testing" }),
});

const withProgress = defineOperation({
  ...named("conformance.test_tool_with_progress"),
  effect: "read",
  surfaces: ["mcp"],
  summary: "Report progress three times.",
  input: nothing,
  output: Type.Unknown(),
  async run(_input, call) {
    for (const done of [0, 50, 100]) {
      call.progress({ doing: "counting", done, total: 100 });
      await call.ports.clock.sleep(50, call.signal);
    }
    return { done: true };
  },
});

const jsonSchema = defineOperation({
  ...named("conformance.json_schema_2020_12_tool"),
  effect: "read",
  surfaces: ["mcp"],
  summary: "Tool with JSON Schema 2020-12 features.",
  input: Type.Object(
    {
      name: Type.Optional(Type.String({ description: "A name." })),
      address: Type.Optional(Type.Unsafe<object>({ $ref: "#/$defs/address", description: "An address." })),
    },
    {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $defs: {
        address: { type: "object", properties: { street: { type: "string" }, city: { type: "string" } } },
      },
      additionalProperties: false,
    },
  ),
  output: Type.Unknown(),
  run: async (input) => ({ got: Object.keys(input) }),
});

export const fixtureOperations = [
  echo,
  note,
  slow,
  refuses,
  rejects,
  judges,
  breaks,
  prints,
  environment,
  hidden,
  simpleText,
  errorHandling,
  withProgress,
  jsonSchema,
] as unknown as readonly Operation[];
