/** A small table of operations, with a property of every kind, that the tests of this corner share. */
import { defineOperation, type Manifest, manifestEntry, type Operation } from "@bridle/operation";
import { Failure, refuse } from "@bridle/record";
import * as Type from "typebox";

const closed = { additionalProperties: false } as const;

export const demoOperations: readonly Operation[] = [
  defineOperation({
    names: { id: "op/note.add", action: "note.add", command: ["note", "add"], tool: "note_add" },
    family: "premath",
    effect: "mutate",
    needs: "instruction",
    surfaces: ["cli", "mcp"],
    summary: "Add a note.",
    description: "A note has a text and may have tags.",
    examples: [
      { command: 'premath note add "Buy milk" --tag home --tag food', says: "adds a note with two tags" },
    ],
    input: Type.Object(
      {
        text: Type.String({ description: "What to note.", "x-position": 0 }),
        state: Type.Optional(Type.Enum(["open", "done"], { description: "Its state.", default: "open" })),
        tags: Type.Optional(Type.Array(Type.String(), { description: "A tag.", "x-flag": "tag" })),
        priority: Type.Optional(Type.Integer({ description: "How urgent it is.", minimum: 0, maximum: 4 })),
        weight: Type.Optional(Type.Number({ description: "How heavy it is." })),
        pinned: Type.Optional(Type.Boolean({ description: "Keep it on top." })),
        extra: Type.Optional(Type.Object({}, { description: "Anything else." })),
      },
      closed,
    ),
    output: Type.Object({ action: Type.Literal("note.add"), input: Type.Unknown() }),
    run: async (input) => ({ action: "note.add" as const, input }),
    present: ({ input }, paint) => `${paint.good("noted")} ${(input as { text: string }).text}`,
  }),
  defineOperation({
    names: { id: "op/note.check", action: "note.check", command: ["note", "check"], tool: "note_check" },
    family: "premath",
    effect: "read",
    surfaces: ["cli"],
    summary: "Check the notes.",
    examples: [{ command: "premath note check", says: "says whether they are in order" }],
    input: Type.Object(
      {
        how: Type.Optional(
          Type.Enum(["reject", "refuse", "fail", "throw", "wait", "warn", "emit", "nothing"], {
            description: "How it ends.",
          }),
        ),
      },
      closed,
    ),
    output: Type.Unknown(),
    async run({ how }, call) {
      switch (how) {
        case "reject":
          return { result: "rejected", failureClasses: ["log_damaged"] };
        case "refuse":
          return refuse("session_missing", {
            message: "there is no note\u001b[2J",
            hint: "Add one.",
            detail: { n: 0 },
          });
        case "fail":
          throw new Failure("disk_full", { message: "no room left" });
        case "throw":
          throw new Error("oops");
        case "wait":
          await new Promise((_, stop) =>
            call.signal.addEventListener("abort", () => stop(new DOMException("stopped", "AbortError"))),
          );
          return {};
        case "warn":
          call.warn("line 3 is not JSON");
          return { fine: true };
        case "emit":
          await call.emit?.({ a: 1 });
          await call.emit?.({ a: 2 }, '{"a":2.0}');
          return { rows: 2 };
        default:
          return { fine: true };
      }
    },
  }),
  defineOperation({
    names: { id: "op/tool.list", action: "tool.list", command: ["tools"], tool: "tool_list" },
    family: "bridle",
    effect: "read",
    surfaces: ["cli"],
    summary: "List the tools.",
    examples: [{ command: "bridle tools a.json b.json", says: "lists those in two files" }],
    input: Type.Object(
      {
        files: Type.Optional(
          Type.Array(Type.String(), { description: "Files to look in.", "x-position": 0 }),
        ),
        colour: Type.Optional(Type.Boolean({ description: "Paint the answer." })),
      },
      closed,
    ),
    output: Type.Unknown(),
    rejectionIsAnswer: true,
    run: async () => ({ result: "rejected", failureClasses: ["log_damaged"] }),
  }),
  defineOperation({
    names: { id: "op/tool.secret", action: "tool.secret", command: ["secret"], tool: "tool_secret" },
    family: "premath",
    effect: "read",
    surfaces: ["mcp"],
    summary: "Not for the command line.",
    examples: [{ command: "premath secret", says: "is not offered here" }],
    input: Type.Object({}, closed),
    output: Type.Unknown(),
    run: async () => ({}),
  }),
];

export const demoManifest: Manifest = {
  manifestKind: "bridle.manifest.v1",
  version: "9.8.7",
  failures: {},
  operations: demoOperations.map((operation) => manifestEntry(operation, "demo")),
};
