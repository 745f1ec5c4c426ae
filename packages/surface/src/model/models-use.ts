/** `bridle models use`: the model from now on, written to one's own models.json or the project's. */
import { join } from "node:path";
import { type Call, defineOperation } from "@bridle/operation";
import { isJsonObject, isRefusal, type JsonObject, locateRoot, refuse } from "@bridle/record";
import { chooseModels, configFolder, modelTools } from "@bridle/model";
import * as Type from "typebox";
import { changeObject } from "../cli/settings-object.js";
import { findServers, type LocalPlace, type LocalServer } from "./local-servers.js";

export function modelsUseOperation(places: readonly LocalPlace[]) {
  return defineOperation({
    names: { id: "op/model.use", action: "model.use", command: ["models", "use"], tool: "model_use" },
    family: "bridle",
    effect: "mutate",
    needs: "person",
    surfaces: ["cli"],
    summary: "Choose the model that is used from now on.",
    description:
      "Writes its name to models.json in ~/.config/bridle, or with --project to .bridle/models.json, which is committed. " +
      "A server that runs on this machine, such as ollama, is described there as well. --model and AGENT_MODEL still come first.",
    examples: [
      { command: "bridle models use anthropic/claude-sonnet-4-6", says: "for you, everywhere" },
      { command: "bridle models use ollama/llama3.2", says: "a model of a server on this machine" },
      { command: "bridle models use openai/gpt-5.4-mini --fast", says: "the cheaper one for side work" },
    ],
    input: Type.Object(
      {
        name: Type.String({
          minLength: 1,
          "x-position": 0,
          "x-placeholder": "provider/id",
          description: "Which model; `bridle models` lists them.",
        }),
        fast: Type.Optional(Type.Boolean({ description: "As the fast model, for side work." })),
        project: Type.Optional(Type.Boolean({ description: "In the project's file." })),
      },
      { additionalProperties: false },
    ),
    output: Type.Object({
      action: Type.Literal("model.use"),
      model: Type.String(),
      path: Type.String(),
      changed: Type.Boolean(),
    }),
    async run({ name, fast = false, project = false }, call) {
      const { settings, keys } = await modelTools(call);
      const server = Object.hasOwn(settings.providers, providerOf(name))
        ? undefined
        : await serverOf(name, places);
      const model = server === undefined ? await chosen(name, call, settings, keys) : name;
      if (isRefusal(model)) return model;
      if (server !== undefined && project)
        return refuse("model_settings_invalid", {
          message: `${server.name} runs on your machine, and a project's file may name models, and no providers`,
          hint: "Leave --project out.",
        });
      const path = project ? await projectPath(call) : join(configFolder(call.env), "models.json");
      const withModel = (object: JsonObject) => {
        const named = { ...object, [fast ? "fastModel" : "model"]: model };
        return server === undefined ? named : withServer(named, server);
      };
      const changed = await changeObject({ path, of: project ? "project" : "own" }, withModel, call.ports);
      if (typeof changed === "string")
        return refuse("model_settings_invalid", { message: changed, hint: "Mend it, or move it away." });
      const variable = fast ? "AGENT_FAST_MODEL" : "AGENT_MODEL";
      if ((call.env[variable] ?? "").trim() !== "" && call.env[variable] !== model)
        call.warn(`${variable} is set to ${call.env[variable]}, which comes first`);
      return { action: "model.use" as const, model, path, changed };
    },
    present: ({ model, path, changed }, paint) =>
      changed
        ? `  ${paint.strong(model)} from now on ${paint.dim(path)}`
        : `  ${paint.dim("nothing to do:")} ${path} says so already`,
  });
}

type Tools = Awaited<ReturnType<typeof modelTools>>;

async function chosen(name: string, { env }: Call, settings: Tools["settings"], keys: Tools["keys"]) {
  const found = await chooseModels({ flags: { model: name }, env, settings, keys });
  return isRefusal(found) ? found : found.main.ref;
}

function providerOf(name: string): string {
  return name.slice(0, Math.max(0, name.indexOf("/")));
}

async function serverOf(name: string, places: readonly LocalPlace[]): Promise<LocalServer | undefined> {
  const [server] = await findServers(places.filter((place) => place.name === providerOf(name)));
  return server;
}

function withServer(file: JsonObject, { name, baseUrl }: LocalServer): JsonObject {
  const providers = isJsonObject(file["providers"]) ? file["providers"] : {};
  return { ...file, providers: { ...providers, [name]: { baseUrl } } };
}

async function projectPath({ cwd, env, ports: { files } }: Call): Promise<string> {
  return join(await locateRoot({ files, cwd, env }), ".bridle/models.json");
}
