/** `bridle models`: which models can be named, which are chosen, and for which there is a key. Keys are never shown. */
import { columns, defineOperation } from "@bridle/operation";
import { isRefusal } from "@bridle/record";
import { chooseModels, modelTools, readCatalog, usualModels } from "@bridle/model";
import * as Type from "typebox";
import { findServers, type LocalPlace } from "./local-servers.js";

const choice = Type.Union([Type.Object({ model: Type.String(), source: Type.String() }), Type.Null()]);

export function modelsOperation(places: readonly LocalPlace[]) {
  return defineOperation({
    names: { id: "op/model.list", action: "model.list", command: ["models"], tool: "model_list" },
    family: "bridle",
    effect: "read",
    surfaces: ["cli"],
    summary: "List the models that can be used, and say which are chosen.",
    description:
      "A model is named provider/id, by --model, AGENT_MODEL, .bridle/models.json of the project, or models.json in " +
      "~/.config/bridle, in this order; the fast one by AGENT_FAST_MODEL or fastModel. Your own models.json may hold " +
      'providers, each with baseUrl, api, apiKey or apiKeyEnv, headers and models ({"id": …, "like": …, ' +
      '"contextTokens": …}); a project\'s may only name models.',
    examples: [
      { command: "bridle models", says: "lists the models of providers that there is a key for" },
      { command: "bridle models codex --all", says: "lists all that match, with or without a key" },
    ],
    input: Type.Object(
      {
        match: Type.Optional(
          Type.String({
            description: "Show only names that contain this text.",
            "x-position": 0,
            "x-yields": true,
          }),
        ),
        all: Type.Optional(Type.Boolean({ description: "Show models of providers without a key as well." })),
      },
      { additionalProperties: false },
    ),
    output: Type.Object({
      action: Type.Literal("model.list"),
      main: choice,
      fast: choice,
      models: Type.Array(
        Type.Object({
          model: Type.String(),
          hasKey: Type.Boolean(),
          own: Type.Boolean(),
          contextTokens: Type.Union([Type.Integer(), Type.Null()]),
          thinks: Type.Boolean(),
        }),
      ),
      keysFrom: Type.Array(
        Type.Object({
          provider: Type.String(),
          variable: Type.Union([Type.String(), Type.Null()]),
          from: Type.String({ description: "A page, or a command." }),
        }),
        { description: "Where to get a key; empty while there is one." },
      ),
      localServers: Type.Array(
        Type.Object({ name: Type.String(), baseUrl: Type.String(), models: Type.Array(Type.String()) }),
        { description: "Servers that run on this machine, looked for while there is no key." },
      ),
      hiddenCount: Type.Integer({ description: "Those that match and are not listed, for want of a key." }),
    }),
    async run({ match = "", all = false }, call) {
      const { env } = call;
      const { settings, keys } = await modelTools(call);
      const chosen = await chooseModels({ flags: {}, env, settings, keys });
      if (isRefusal(chosen) && chosen.refused !== "model_unset") call.warn(chosen.message);
      const known = new Map<string, boolean>();
      const hasKey = async (provider: string) => {
        const has = known.get(provider) ?? (await keys.has(provider));
        known.set(provider, has);
        return has;
      };
      const wanted = (await readCatalog(settings)).filter(({ ref }) => ref.includes(match.toLowerCase()));
      const rows = [];
      for (const { ref, provider, own, contextTokens = null, thinks = false } of wanted) {
        rows.push({ model: ref, hasKey: await hasKey(provider), own, contextTokens, thinks });
      }
      const shown = rows.filter((row) => all || row.own || row.hasKey);
      const picked = isRefusal(chosen) ? undefined : chosen;
      const keyless = picked === undefined && !rows.some((row) => row.hasKey);
      const localServers = keyless ? await findServers(places) : [];
      return {
        action: "model.list" as const,
        main: picked === undefined ? null : { model: picked.main.ref, source: picked.source },
        fast: picked === undefined ? null : { model: picked.fast.ref, source: picked.fastSource },
        models: shown,
        keysFrom: keyless
          ? usualModels.map(({ provider, variable = null, from }) => ({ provider, variable, from }))
          : [],
        localServers: localServers.map(({ name, baseUrl, models: ids }) => ({
          name,
          baseUrl,
          models: [...ids],
        })),
        hiddenCount: rows.length - shown.length,
      };
    },
    present({ main, fast, models: shown, hiddenCount, keysFrom, localServers }, paint) {
      const lines = [
        main === null
          ? paint.note("No model is chosen.")
          : `main  ${paint.strong(main.model)} ${paint.dim(main.source)}`,
        ...(fast === null ? [] : [`fast  ${paint.strong(fast.model)} ${paint.dim(fast.source)}`]),
        "",
      ];
      const rows = shown.map(({ model, hasKey, contextTokens, thinks }) => [
        model,
        contextTokens === null ? "" : `${Math.round(contextTokens / 1000)}k`,
        thinks ? "thinks" : "",
        hasKey ? paint.good("key") : paint.dim("no key"),
      ]);
      if (keysFrom.length > 0) {
        lines.push("There is no key. Get one, and set its variable (or `bridle config set` it):");
        lines.push(...columns(keysFrom.map(({ variable, from }) => [variable ?? "an account", from])), "");
        lines.push(
          ...(localServers.length === 0
            ? ["No model server runs on this machine (looked for ollama, LM Studio, llama.cpp and vLLM)."]
            : localServers.map(
                ({ name, baseUrl, models: [first = "<model>"] }) =>
                  `${paint.good(name)} runs at ${baseUrl}: \`bridle models use ${name}/${first}\``,
              )),
        );
        if (rows.length === 0) return lines.join("\n");
        lines.push("");
      }
      lines.push(...(rows.length === 0 ? ["No model matches that there is a key for."] : columns(rows)));
      if (hiddenCount > 0) lines.push("", paint.dim(`${hiddenCount} more without a key; --all shows them.`));
      return lines.join("\n");
    },
  });
}
