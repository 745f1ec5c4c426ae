/** The model and its key, and settings that nothing reads or that do not fit. */
import { dirname, join } from "node:path";
import { chooseModels, modelTools } from "@bridle/model";
import { Failure, isRefusal, settingsFolder } from "@bridle/record";
import { settingsHere } from "../cli/setting-files.js";
import { settings, unfitSettings, unknownSettings } from "../cli/settings.js";
import { shownPath } from "./look-memory.js";
import type { Finding, Place } from "./types.js";

export async function* lookAtSettings({ call }: Place): AsyncGenerator<Finding> {
  const { env } = call;
  for (const { key, nearest } of unknownSettings(env))
    yield {
      fault: "setting_unknown",
      level: "fault",
      says: `${key} is no setting${nearest === undefined ? "" : `; did you mean ${nearest}?`}`,
      mend: `unset ${key}`,
    };
  for (const { key, takes = "another value" } of unfitSettings(env))
    yield {
      fault: "setting_unfit",
      level: "fault",
      says: `${key} is ${JSON.stringify(env[key])}; it takes ${takes}`,
      mend: `unset ${key}`,
    };
  const { files } = call.ports;
  for (const { path, says, mend } of (await settingsHere({ files, cwd: call.cwd, env })).problems)
    yield {
      fault: "settings_invalid",
      level: "fault",
      says: says.startsWith(path) ? says : `${path}: ${says}`,
      mend,
    };
  for (const { key, comesLater } of settings)
    if (comesLater === true && env[key] !== undefined)
      yield {
        fault: "setting_unread",
        level: "fault",
        says: `${key} is set, and nothing reads it yet`,
        mend: `unset ${key}`,
      };
}

export async function* lookAtModels(place: Place): AsyncGenerator<Finding> {
  const { call, machine } = place;
  const folder = settingsFolder(call.env);
  if (folder === undefined) return;
  const credentials = join(folder, "credentials.json");
  const stat = await call.ports.files.stat(credentials);
  if (stat !== undefined && (stat.mode & 0o077) !== 0)
    yield {
      fault: "credentials_readable",
      level: "fault",
      says: `${credentials} holds the tokens of a login and can be read by others`,
      mend: `chmod 600 ${shownPath(credentials, place)}`,
      fix: () => machine.setMode(credentials, 0o600),
    };
  try {
    yield* lookAtChoice(place);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const own = join(folder, "models.json");
    const shared = error.message.startsWith(own) && (error.hint ?? "").includes("chmod 600");
    yield {
      fault: shared ? "models_readable" : "models_invalid",
      level: "fault",
      says: error.message,
      mend: shared ? `chmod 600 ${shownPath(own, place)}` : movedAway(await blamed(error, own, place), place),
      ...(shared ? { fix: () => machine.setMode(own, 0o600) } : {}),
    };
  }
}

/** The file that the complaint begins with: the person's own, or the nearest project's. */
async function blamed({ message }: Failure, own: string, { call }: Place): Promise<string> {
  if (message.startsWith(own)) return own;
  for (let folder = call.cwd; ; folder = dirname(folder)) {
    const path = join(folder, ".bridle/models.json");
    if (message.startsWith(path) || folder === dirname(folder)) return path;
  }
}

function movedAway(path: string, place: Place): string {
  const shown = shownPath(path, place);
  return `mv ${shown} ${shownPath(`${path}.broken`, place)}`;
}

async function* lookAtChoice({ call }: Place): AsyncGenerator<Finding> {
  const { cwd, ports } = call;
  const { env } = await settingsHere({ files: ports.files, cwd, env: call.env });
  const { settings: models, keys } = await modelTools({ ...call, env });
  const chosen = await chooseModels({ flags: {}, env, settings: models, keys });
  if (isRefusal(chosen)) {
    const unset = chosen.refused === "model_unset";
    yield {
      fault: unset ? "model_unset" : "model_unknown",
      level: unset ? "note" : "fault",
      says: unset ? "no model is chosen and no key is there, so `bridle chat` cannot answer" : chosen.message,
      mend: unset ? "bridle models" : named(chosen.message, String(chosen.detail?.["nearest"] ?? "<name>")),
    };
    return;
  }
  try {
    await keys.keyFor(chosen.main);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    yield {
      fault: "key_missing",
      level: "fault",
      says: `${error.message}, which ${chosen.source} names`,
      mend: error.failureClass === "login_required" ? "bridle login codex" : exported(error.hint ?? ""),
    };
  }
}

/** Where the name came from the environment, a file would not be asked. */
function named(message: string, name: string): string {
  return message.includes("(AGENT_MODEL)") ? `export AGENT_MODEL=${name}` : `bridle models use ${name}`;
}

/** `Set A or B.` as it is typed. */
function exported(hint: string): string {
  const name = /[A-Z][A-Z0-9_]+/.exec(hint)?.[0];
  return name === undefined ? "bridle models" : `export ${name}=<your key>`;
}
