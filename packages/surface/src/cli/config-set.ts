/** `bridle config set`: a setting written to one's own file, or to the project's with --project. */
import { join } from "node:path";
import { type Call, defineOperation } from "@bridle/operation";
import { type JsonObject, type JsonValue, locateRoot, refuse } from "@bridle/record";
import * as Type from "typebox";
import { readSetting } from "./setting-files.js";
import { ownSettingsPath, projectSettingsPath } from "./setting-paths.js";
import { changeObject } from "./settings-object.js";
import { settings } from "./settings.js";

export const configSet = defineOperation({
  names: {
    id: "op/bridle.config_set",
    action: "bridle.config.set",
    command: ["config", "set"],
    tool: "bridle_config_set",
  },
  family: "bridle",
  effect: "mutate",
  needs: "person",
  surfaces: ["cli"],
  summary: "Write a setting to a file, so that no variable is needed.",
  description:
    "To settings.json in ~/.config/bridle, which only you can read, or with --project to .bridle/settings.json, which is " +
    "committed and lowers no guard. A variable of the environment comes before both, the project's file before yours.",
  examples: [
    { command: "bridle config set AGENT_MAX_COST_USD 2", says: "for you, everywhere" },
    { command: "bridle config set AGENT_RULE_JUDGE 1 --project", says: "for everybody who works here" },
    { command: "bridle config set AGENT_MAX_COST_USD --unset", says: "takes it out again" },
  ],
  input: Type.Object(
    {
      key: Type.String({
        minLength: 1,
        "x-position": 0,
        description: "Which setting; `bridle config` lists them.",
      }),
      value: Type.Optional(Type.String({ "x-position": 1, description: "What it is from now on." })),
      project: Type.Optional(Type.Boolean({ description: "In the project's file." })),
      unset: Type.Optional(Type.Boolean({ description: "Take it out of the file." })),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    action: Type.Literal("bridle.config.set"),
    key: Type.String(),
    path: Type.String(),
    changed: Type.Boolean(),
    unset: Type.Boolean(),
  }),
  async run({ key, value, project = false, unset = false }, call) {
    if (unset === (value !== undefined))
      return refuse("input_invalid", {
        message: unset ? "--unset takes no value" : `nothing says what ${key} is to be`,
        hint: `Write \`bridle config set ${key} <value>\`, or --unset.`,
      });
    const of = project ? "project" : "own";
    const read = unset ? undefined : readSetting(key, value, of);
    if (typeof read === "object")
      return refuse(read.nearest !== undefined || !isKnown(key) ? "setting_unknown" : "setting_invalid", {
        message: read.says,
        hint: "`bridle config` lists them with what each takes.",
        detail: { key, ...(read.nearest === undefined ? {} : { nearest: read.nearest }) },
      });
    const path = project ? await projectPath(call) : ownSettingsPath(call.env);
    if (path === undefined)
      return refuse("setting_invalid", {
        message: "neither HOME nor XDG_CONFIG_HOME names a folder, so you have no file of settings",
        hint: "Set HOME, or use --project.",
      });
    const changed = await changeObject({ path, of }, (object) => withKey(object, key, read), call.ports);
    if (typeof changed === "string")
      return refuse("setting_invalid", {
        message: changed,
        hint: "Mend it, or move it away; nothing was changed.",
      });
    return { action: "bridle.config.set" as const, key, path, changed, unset };
  },
  present: ({ key, path, changed, unset }, paint) =>
    changed
      ? `  ${paint.strong(key)} ${unset ? "taken out of" : "set in"} ${path}`
      : `  ${paint.dim("nothing to do:")} ${path} says so already`,
});

function isKnown(key: string): boolean {
  return settings.some((setting) => setting.key === key);
}

/** The project's file, or where it would be. */
async function projectPath({ cwd, env, ports: { files } }: Call): Promise<string> {
  const there = await projectSettingsPath(cwd, files);
  return there ?? join(await locateRoot({ files, cwd, env }), ".bridle/settings.json");
}

function withKey(object: JsonObject, key: string, value: string | undefined): JsonObject {
  const entries = Object.entries(object).filter(([name]) => name !== key) as [string, JsonValue][];
  return Object.fromEntries(value === undefined ? entries : [...entries, [key, value]]);
}
