/** Tokens by estimate: the same every time, in step with the text, and added up as messages come. */
import type { Message } from "@bridle/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { holds } from "../../../../test/support/property.js";
import { estimateTextTokens, estimateTokens } from "./tokens.js";

describe("the estimate of a text", () => {
  it("is not below what a public tokenizer (o200k) counts for the usual kinds, nor far above", () => {
    // Counted once with that tokenizer; it is no part of this program.
    const counted: [text: string, tokens: number, timesMax: number][] = [
      [
        "The server could not be reached, so the deployment was stopped and will be tried again tomorrow. ",
        381,
        1.5,
      ],
      [
        "export function tokensOf(messages: readonly Message[]): number {\n  return messages.reduce((sum, message) => sum + estimate(message), 0);\n}\n",
        600,
        2,
      ],
      ['{"id":42,"name":"cart","tags":["a","b"],"price":19.99,"nested":{"ok":true}}\n', 560, 2],
      [
        "2026-03-01T10:00:00.123Z INFO [worker-3] request 8f14e45f took 123ms status=200 path=/api/v1/items?id=42\n",
        920,
        1.5,
      ],
      ["packages/agent/src/context/compact.test.ts:123:45\n", 280, 2],
      ["Der Datenbankserver steht in München und muss vor dem Wochenende neu gestartet werden. ", 321, 1.5],
      ["Сервер базы данных находится в Москве, и его нужно перезапустить до конца недели. ", 362, 2.5],
      ["数据库服务器位于北京，需要在本周末之前重新启动，否则部署会失败。", 360, 2.5],
      ["データベースサーバーは東京にあり、週末までに再起動する必要があります。", 460, 2.5],
      ["يجب إعادة تشغيل خادم قاعدة البيانات قبل نهاية الأسبوع. ", 222, 4],
      ["เซิร์ฟเวอร์ฐานข้อมูลอยู่ที่กรุงเทพและต้องเริ่มใหม่ ", 341, 4.5],
      ["Kx9/aQz3+LmPw7RtY2uVbN8cXeJ4hG6sD1fA0oIiTkZq", 740, 1.5],
    ];
    for (const [text, tokens, timesMax] of counted) {
      const estimate = estimateTextTokens(text.repeat(20));
      expect(estimate, text).toBeGreaterThanOrEqual(tokens);
      expect(estimate, text).toBeLessThanOrEqual(tokens * timesMax);
    }
  });

  it("never falls when the text goes on, and is at most three tokens a character", () => {
    const any = fc.oneof(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.string({ unit: "grapheme", maxLength: 200 }),
    );
    holds(
      fc.property(any, any, (left, right) => {
        const [alone, both] = [estimateTextTokens(left), estimateTextTokens(left + right)];
        expect(both).toBeGreaterThanOrEqual(alone);
        expect(both).toBeLessThanOrEqual((left + right).length * 3);
        expect(estimateTextTokens(left)).toBe(alone);
      }),
      200,
    );
    expect(estimateTextTokens("")).toBe(0);
  });
});

describe("the estimate of a message", () => {
  it("counts pictures, calls and thinking", () => {
    const calls: Message = {
      role: "assistant",
      model: "m",
      stop: "tool_use",
      content: [
        { kind: "thinking", text: "let me see", signature: "s".repeat(400) },
        { kind: "tool_call", id: "1", name: "read_file", argumentsText: '{"path":"a"}' },
      ],
    };
    expect(estimateTokens(calls)).toBeGreaterThan(100);
    const picture: Message = {
      role: "user",
      content: [{ kind: "image", data: "A".repeat(1e6), mimeType: "image/png" }],
    };
    expect(estimateTokens(picture)).toBeLessThan(2_000);
  });
});
