/** `bridle config`: every setting, what it means, and what it is now. Secrets are never shown. */
import { columns, defineOperation, type Operation } from "@bridle/operation";
import * as Type from "typebox";
import { configSet } from "./config-set.js";
import { settingsHere } from "./setting-files.js";
import { settings, unfitSettings, unknownSettings } from "./settings.js";

const config = defineOperation({
  names: { id: "op/bridle.config", action: "bridle.config", command: ["config"], tool: "bridle_config" },
  family: "bridle",
  effect: "read",
  surfaces: ["cli"],
  summary: "List the settings, what they are now, and where that comes from.",
  description:
    "From the environment, .bridle/settings.json of the project, or settings.json in ~/.config/bridle, in this order; a " +
    "project's file lowers no guard. Those that are still to come are known already, so that a misspelt one " +
    "is noticed; they have no effect yet. docs/guides/configuration.md has the same list.",
  examples: [
    { command: "bridle config", says: "lists every setting" },
    { command: "bridle config AGENT_WEB --only-set", says: "lists those that match and are set" },
  ],
  input: Type.Object(
    {
      match: Type.Optional(
        Type.String({
          description: "Show only keys that contain this text.",
          "x-position": 0,
          "x-yields": true,
        }),
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
        origin: Type.Enum(["environment", "project", "own", "default", "unset"], {
          description: "Where its value comes from.",
        }),
        file: Type.Union([Type.String(), Type.Null()], { description: "The file that says so." }),
        takes: Type.Union([Type.String(), Type.Null()], { description: "What may stand there." }),
        fits: Type.Boolean({ description: "False when what stands there is none of that." }),
        comesLater: Type.Boolean({ description: "Nothing reads it yet." }),
        meaning: Type.String(),
      }),
    ),
    unknown: Type.Array(
      Type.Object({ key: Type.String(), nearest: Type.Union([Type.String(), Type.Null()]) }),
    ),
    problems: Type.Array(Type.String({ description: "What is wrong in a file of settings." })),
  }),
  async run({ match = "", onlySet = false }, { env: given, cwd, ports: { files }, warn }) {
    const { env, origins, problems } = await settingsHere({ env: given, cwd, files });
    const unfit = new Set(unfitSettings(env).map(({ key }) => key));
    const rows = settings.map((setting) => {
      const { key, meaning, source, default: standard = null, secret = false, takes = null } = setting;
      const isSet = env[key] !== undefined;
      const from = origins.get(key);
      const origin = isSet
        ? (from?.of ?? ("environment" as const))
        : standard === null
          ? ("unset" as const)
          : ("default" as const);
      return {
        key,
        isSet,
        value: secret ? null : (env[key] ?? null),
        default: standard,
        secret,
        source,
        origin,
        file: from?.path ?? null,
        takes,
        fits: !unfit.has(key),
        comesLater: setting.comesLater === true,
        meaning,
      };
    });
    const unknown = unknownSettings(env).map(({ key, nearest = null }) => ({ key, nearest }));
    for (const { key, nearest } of unknown) {
      warn(`${key} is not a setting${nearest === null ? "" : `; did you mean ${nearest}?`}`);
    }
    for (const { path, says } of problems) warn(says.startsWith(path) ? says : `${path}: ${says}`);
    for (const { key, takes } of rows.filter(({ fits }) => !fits))
      warn(`${key} is ${JSON.stringify(env[key])}; it takes ${takes}`);
    const shown = rows.filter(({ key, isSet }) => key.includes(match.toUpperCase()) && (isSet || !onlySet));
    const wrong = problems.map(({ says }) => says);
    return { action: "bridle.config" as const, settings: shown, unknown, problems: wrong };
  },
  present({ settings: shown }, paint) {
    if (shown.length === 0) return "No setting matches.";
    const rows = shown.map((row) => {
      const { key, isSet, value, default: standard, secret, meaning, fits, comesLater, origin } = row;
      const where = origin === "project" || origin === "own" ? ` (${origin} file)` : "";
      const set = `${secret ? "(set)" : `=${value}`}${where}`;
      const now = isSet
        ? fits
          ? paint.good(set)
          : paint.bad(set)
        : paint.dim(standard === null ? "unset" : standard);
      return [isSet ? paint.strong(key) : key, now, comesLater ? paint.dim(`${meaning} (to come)`) : meaning];
    });
    return columns(rows).join("\n");
  },
});

export const operations: readonly Operation[] = [config, configSet];
