/**
 * The settings of models: `models.json` in a person's own folder, and
 * `.bridle/models.json` of a project.
 *
 * What a newcomer gets wrong: the project's file may only name models. Were it
 * allowed to say where a provider is, a repository that somebody cloned could have
 * their keys sent to itself.
 */
import { dirname, join } from "node:path";
import { Failure, isJsonObject, type JsonObject, type Ports } from "@bridle/record";
import * as Type from "typebox";
import { Compile } from "typebox/compile";
import { readableByOthers, readSettingsFile } from "../auth/private-file.js";
import { type Env, modelsPath } from "./place.js";

const model = Type.Object(
  {
    id: Type.String({ minLength: 1 }),
    like: Type.Optional(Type.String({ minLength: 1 })),
    contextTokens: Type.Optional(Type.Integer({ minimum: 1 })),
    maxOutputTokens: Type.Optional(Type.Integer({ minimum: 1 })),
    thinks: Type.Optional(Type.Boolean()),
    seesImages: Type.Optional(Type.Boolean()),
    compat: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  { additionalProperties: false },
);

const provider = Type.Object(
  {
    baseUrl: Type.Optional(Type.String({ pattern: "^https?://" })),
    api: Type.Optional(Type.String({ minLength: 1 })),
    apiKey: Type.Optional(Type.String({ minLength: 1 })),
    apiKeyEnv: Type.Optional(Type.String({ minLength: 1 })),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    models: Type.Optional(Type.Array(model)),
  },
  { additionalProperties: false },
);

const names = {
  model: Type.Optional(Type.String({ minLength: 1 })),
  fastModel: Type.Optional(Type.String({ minLength: 1 })),
};

/** The person's own `models.json`. */
export const ModelsFileSchema = Type.Object(
  {
    ...names,
    providers: Type.Optional(Type.Record(Type.String({ pattern: "^[a-z0-9][a-z0-9._-]*$" }), provider)),
  },
  { additionalProperties: false, title: "Settings of models" },
);
const projectFile = Type.Object(names, { additionalProperties: false });

export type ProviderSettings = Type.Static<typeof provider>;
type OwnFile = Type.Static<typeof ModelsFileSchema>;
type ProjectFile = Type.Static<typeof projectFile>;

export interface NamedIn<Content> {
  readonly path: string;
  readonly content: Content;
}

export interface ModelSettings {
  readonly own?: NamedIn<OwnFile>;
  readonly project?: NamedIn<ProjectFile>;
  readonly providers: Readonly<Record<string, ProviderSettings>>;
}

/** `cwd` is absolute; the project's file is the nearest upwards from there. */
export async function readModelSettings(at: { env: Env; cwd: string; ports: Ports }): Promise<ModelSettings> {
  const { env, cwd, ports } = at;
  const own = await readOwn(modelsPath(env), ports);
  const project = await readProject(cwd, ports);
  return {
    providers: own?.content.providers ?? {},
    ...(own === undefined ? {} : { own }),
    ...(project === undefined ? {} : { project }),
  };
}

async function readOwn(path: string, ports: Ports): Promise<NamedIn<OwnFile> | undefined> {
  const file = await readSettingsFile(path, ports, "model_settings_invalid");
  if (file === undefined) return undefined;
  const content = checked<OwnFile>(path, file.text, ModelsFileSchema);
  const holdsKey = Object.values(content.providers ?? {}).some(
    ({ apiKey, headers }) => apiKey !== undefined || headers !== undefined,
  );
  if (holdsKey && file.shared) throw readableByOthers(path, "model_settings_invalid");
  return { path, content };
}

async function readProject(cwd: string, ports: Ports): Promise<NamedIn<ProjectFile> | undefined> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const path = join(folder, ".bridle", "models.json");
    const file = await readSettingsFile(path, ports, "model_settings_invalid");
    if (file !== undefined) return { path, content: checked<ProjectFile>(path, file.text, projectFile) };
    if (folder === dirname(folder)) return undefined;
  }
}

function checked<Content>(path: string, text: string, schema: Type.TObject): Content {
  const value = objectIn(path, text);
  const validator = Compile(schema);
  if (validator.Check(value)) return value as Content;
  // Without the value: it may be a key in the wrong place.
  const [first] = validator.Errors(value);
  const where =
    first === undefined || first.instancePath === ""
      ? "it"
      : first.instancePath.slice(1).replaceAll("/", ".");
  const project = schema === projectFile && "providers" in value;
  throw new Failure("model_settings_invalid", {
    message: project
      ? `${path}: a project's file may name models, and no providers`
      : `${path}: ${where} ${first?.message ?? "does not fit"}`,
    hint: project
      ? "Describe providers in your own models.json."
      : "See `bridle models --help` for what may stand there.",
  });
}

function objectIn(path: string, text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (isJsonObject(value)) return value;
  throw new Failure("model_settings_invalid", {
    message: `${path} is not a JSON object`,
    hint: "Correct it, or move it away.",
  });
}
