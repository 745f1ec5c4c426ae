/** `bridle config`: every setting, what it means, and what it is now. Secrets are never shown. */
import { columns, defineOperation, type Operation } from "@bridle/operation";
import * as Type from "typebox";
import { settings, unknownSettings } from "./settings.js";

const config = defineOperation({
  names: { id: "op/bridle.config", action: "bridle.config", command: ["config"], tool: "bridle_config" },
  family: "bridle",
  effect: "read",
  surfaces: ["cli"],
  summary: "List the settings that are read from the environment.",
  description:
    "Settings of rooms that this version does not have yet are known already, so that a misspelt one is noticed; " +
    "they have no effect until their room is there.",
  examples: [
    { command: "bridle config", says: "lists every setting" },
    { command: "bridle config AGENT_WEB --only-set", says: "lists those that match and are set" },
  ],
  input: Type.Object(
    {
      match: Type.Optional(
        Type.String({ description: "Show only keys that contain this text.", "x-position": 0 }),
      ),
      onlySet: Type.Optional(Type.Boolean({ description: "Show only settings that are set." })),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("bridle.config"),
    settings: Type.Array(
      Type.Object({
        key: Type.String(),
        isSet: Type.Boolean(),
        value: Type.Union([Type.String(), Type.Null()]),
        default: Type.Union([Type.String(), Type.Null()]),
        secret: Type.Boolean(),
        source: Type.String(),
        meaning: Type.String(),
      }),
    ),
    unknown: Type.Array(
      Type.Object({ key: Type.String(), nearest: Type.Union([Type.String(), Type.Null()]) }),
    ),
  }),
  async run({ match = "", onlySet = false }, { env, warn }) {
    const rows = settings.map(({ key, meaning, source, default: standard = null, secret = false }) => {
      const isSet = env[key] !== undefined;
      return {
        key,
        isSet,
        value: secret ? null : (env[key] ?? null),
        default: standard,
        secret,
        source,
        meaning,
      };
    });
    const unknown = unknownSettings(env).map(({ key, nearest = null }) => ({ key, nearest }));
    for (const { key, nearest } of unknown) {
      warn(`${key} is not a setting${nearest === null ? "" : `; did you mean ${nearest}?`}`);
    }
    const shown = rows.filter(({ key, isSet }) => key.includes(match.toUpperCase()) && (isSet || !onlySet));
    return { action: "bridle.config" as const, settings: shown, unknown };
  },
  present({ settings: shown }, paint) {
    if (shown.length === 0) return "No setting matches.";
    const rows = shown.map(({ key, isSet, value, default: standard, secret, meaning }) => {
      const now = isSet
        ? paint.good(secret ? "(set)" : `=${value}`)
        : paint.dim(standard === null ? "unset" : standard);
      return [isSet ? paint.strong(key) : key, now, meaning];
    });
    return columns(rows).join("\n");
  },
});

export const operations: readonly Operation[] = [config];
