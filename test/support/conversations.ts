/** Random conversations in good order, for laws about messages. */
import type { Message, ToolResultMessage } from "@bridle/model";
import fc from "fast-check";

export const say = (text: string): Message => ({ role: "user", content: [{ kind: "text", text }] });

export const answer = (text: string): Message => ({
  role: "assistant",
  content: [{ kind: "text", text }],
  model: "test/model",
  stop: "stop",
});

export interface Call {
  readonly name: string;
  readonly args: object;
  readonly result: string;
  readonly isError?: boolean;
  readonly picture?: boolean;
}

/** One answer that calls tools, with their results; `id` makes the ids of its calls unique. */
export function round(id: string | number, calls: readonly Call[], text = ""): Message[] {
  const idOf = (at: number) => `call_${id}_${at}`;
  return [
    {
      role: "assistant",
      model: "test/model",
      stop: "tool_use",
      content: [
        ...(text === "" ? [] : [{ kind: "text" as const, text }]),
        ...calls.map(({ name, args }, at) => ({
          kind: "tool_call" as const,
          id: idOf(at),
          name,
          argumentsText: JSON.stringify(args),
        })),
      ],
    },
    ...calls.map(({ name, result, isError = false, picture }, at): ToolResultMessage => ({
      role: "tool_result",
      toolCallId: idOf(at),
      toolName: name,
      isError,
      content: [
        { kind: "text", text: result },
        ...(picture === true ? [{ kind: "image" as const, data: "AAAA", mimeType: "image/png" }] : []),
      ],
    })),
  ];
}

const words = fc.oneof(
  { weight: 3, arbitrary: fc.lorem({ maxCount: 30 }) },
  fc.string({ unit: "grapheme", maxLength: 80 }),
  fc.constantFrom(
    "",
    "[CONTEXT SUMMARY] rounds=1 lines_left_out=0 record=art_0123456789abcdef",
    "[CONTINUE] go on",
    'call: write_file "x" ok',
    "a\nwords:\nb",
    "see src/a/b.ts:12, 14 failed, commit 0a1b2c3d4e, art_0123456789abcdef",
    "数据库服务器位于北京。".repeat(40),
  ),
);
const output = fc.oneof(
  { weight: 4, arbitrary: words },
  fc
    .tuple(words, fc.integer({ min: 1, max: 9_000 }))
    .map(([text, size]) => `${text} x`.repeat(200).slice(0, size)),
);
const call: fc.Arbitrary<Call> = fc.record({
  name: fc.constantFrom("read_file", "run_shell", "grep_file", "think"),
  args: fc.dictionary(fc.constantFrom("path", "command", "text", "n"), fc.oneof(words, fc.nat()), {
    maxKeys: 3,
  }),
  result: output,
  isError: fc.boolean(),
  picture: fc.integer({ min: 0, max: 20 }).map((n) => n === 0),
});

type Piece =
  | { readonly said: readonly string[] }
  | { readonly calls: readonly Call[]; readonly text: string }
  | { readonly answers: string; readonly next: string };

const piece: fc.Arbitrary<Piece> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      calls: fc.array(call, { minLength: 1, maxLength: 3 }),
      text: fc.oneof(fc.constant(""), words),
    }),
  },
  fc.record({ said: fc.array(words, { minLength: 1, maxLength: 2 }) }),
  fc.record({ answers: words, next: words }),
);

/** What may follow any conversation that does not end with an answer. */
export const pieces = (maxLength: number): fc.Arbitrary<readonly Piece[]> => fc.array(piece, { maxLength });

export function messagesOf(all: readonly Piece[], name: string | number = 0): Message[] {
  return all.flatMap((each, at) => {
    if ("said" in each) return each.said.map(say);
    if ("calls" in each) return round(`${name}_${at}`, each.calls, each.text);
    return [answer(each.answers), say(each.next)];
  });
}

export const conversation = (maxLength: number): fc.Arbitrary<Message[]> =>
  fc.tuple(words, pieces(maxLength)).map(([first, all]) => [say(first), ...messagesOf(all)]);
