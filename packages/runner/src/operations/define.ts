/** What the operations of this room have in common: how they are called, who may call them, and kinds of flags. */
import * as Type from "typebox";

/** `bridle work start`, and so on. */
export function named<Room extends string, Word extends string>(room: Room, word: Word) {
  return {
    ...{ id: `op/${room}.${word}` as const, action: `${room}.${word}` as const },
    ...{ command: [room, word] as string[], tool: `${room}_${word}` },
  };
}

/** `premath harness-loop worker`, and so on. */
export function loopNamed<Word extends string>(id: `op/harness.loop_${Word}`) {
  const word = id.slice("op/harness.loop_".length) as Word;
  return {
    ...{ id, action: `harness.loop.${word}` as const },
    ...{ command: ["harness-loop", word] as string[], tool: `harness_loop_${word}` },
  };
}

export const byPerson = { family: "bridle", effect: "mutate", needs: "person", surfaces: ["cli"] } as const;
export const loopByPerson = { ...byPerson, family: "premath" } as const;
export const reading = { family: "bridle", effect: "read", surfaces: ["cli"] } as const;

export const text = (placeholder: string, description: string, more: object = {}) =>
  Type.Optional(Type.String({ minLength: 1, "x-placeholder": placeholder, description, ...more }));
export const number = (placeholder: string, description: string, minimum: number) =>
  Type.Optional(Type.Number({ minimum, "x-placeholder": placeholder, description }));
export const whole = (placeholder: string, description: string, more: object = {}) =>
  Type.Optional(Type.Integer({ minimum: 1, "x-placeholder": placeholder, description, ...more }));
export const flag = (description: string) => Type.Optional(Type.Boolean({ description }));
export const nullable = <Of extends Type.TSchema>(of: Of) => Type.Union([of, Type.Null()]);
export const issueInput = Type.String({
  ...{ minLength: 1, "x-position": 0, "x-placeholder": "issue-id", description: "The issue." },
});
/** No other flags than these. */
export const flags = <Of extends Type.TProperties>(of: Of) =>
  Type.Object(of, { additionalProperties: false });
