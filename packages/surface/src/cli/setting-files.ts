/**
 * Settings from files: `.bridle/settings.json` of the project that one stands in, and
 * `settings.json` in a person's own folder. Keys are the names of the environment variables.
 *
 * In this order: the environment, the project's file (see project-settings.ts), one's own. What comes
 * out is an environment again, so that nothing else has to know that there are files.
 */
import { type Files, type JsonValue, nearest, refuse, type Refusal } from "@bridle/record";
import { notForProjects, projectWins } from "./project-settings.js";
import { ownSettingsPath, projectSettingsPath } from "./setting-paths.js";
import { readObject } from "./settings-object.js";
import { type Setting, settings } from "./settings.js";

type Env = Readonly<Record<string, string | undefined>>;

/** What the program tells the programs that it starts; nobody sets it. */
const told = /^BRIDLE_(?:RUN|STEP|STEP_FILE|PROMPT_FILE|TURN_EVIDENCE|USAGE_FILE|PROPOSALS|PORT_BASE)$/;

export interface SettingProblem {
  readonly path: string;
  /** Absent where the file itself is the problem. */
  readonly key?: string;
  readonly says: string;
  readonly nearest?: string;
  /** What mends it, as it is typed. */
  readonly mend: string;
}

export interface SettingsHere {
  /** With what the files say. */
  readonly env: Env;
  /** The file that each value comes from, where it is not the environment. */
  readonly origins: ReadonlyMap<string, { readonly path: string; readonly of: "project" | "own" }>;
  readonly problems: readonly SettingProblem[];
}

export interface SettingsPlace {
  readonly files: Files;
  readonly cwd: string;
  readonly env: Env;
}

export async function settingsHere({ files, cwd, env }: SettingsPlace): Promise<SettingsHere> {
  const project = await readSettings(await projectSettingsPath(cwd, files), "project", files);
  const own = await readSettings(ownSettingsPath(env), "own", files);
  if (project === nothing && own === nothing) return { env, origins: new Map(), problems: [] };
  const merged: Record<string, string | undefined> = { ...env };
  const origins = new Map<string, { readonly path: string; readonly of: "project" | "own" }>();
  for (const { key, default: standard } of settings) {
    if ((env[key] ?? "").trim() !== "") continue;
    const [theirs, mine] = [project.values.get(key), own.values.get(key)];
    if (theirs !== undefined && projectWins(key, theirs, mine ?? standard)) {
      merged[key] = theirs;
      origins.set(key, { path: project.path ?? "", of: "project" });
    } else if (mine !== undefined) {
      merged[key] = mine;
      origins.set(key, { path: own.path ?? "", of: "own" });
    }
  }
  return { env: merged, origins, problems: [...project.problems, ...own.problems] };
}

/** The environment with what files say, or what is wrong in the first that is. */
export async function envWithFiles(place: SettingsPlace): Promise<Env | Refusal> {
  const here = await settingsHere(place);
  const [problem] = here.problems;
  if (problem === undefined) return here.env;
  const { path, key, says, nearest: near, mend } = problem;
  return refuse(near === undefined ? "setting_invalid" : "setting_unknown", {
    message: says.startsWith(path) ? says : `${path}: ${says}`,
    hint: `Mend it, as with \`${mend}\`; \`bridle config\` lists the settings.`,
    detail: { path, ...(key === undefined ? {} : { key }), ...(near === undefined ? {} : { nearest: near }) },
  });
}

interface Read {
  readonly path: string | undefined;
  readonly values: ReadonlyMap<string, string>;
  readonly problems: readonly SettingProblem[];
}

const nothing: Read = { path: undefined, values: new Map(), problems: [] };

async function readSettings(path: string | undefined, of: "project" | "own", files: Files): Promise<Read> {
  const object = path === undefined ? undefined : await readObject(path, files);
  if (path === undefined || object === undefined) return nothing;
  const values = new Map<string, string>();
  const problems: SettingProblem[] = [];
  if (typeof object.value === "string") {
    problems.push({ path, says: object.value, mend: `mv ${quoted(path)} ${quoted(`${path}.broken`)}` });
    return { path, values, problems };
  }
  for (const [key, value] of Object.entries(object.value)) {
    const read = readSetting(key, value, of);
    if (typeof read === "string") values.set(key, read);
    else problems.push({ path, key, ...read });
  }
  if (of === "own" && object.shared && settings.some(({ key, secret }) => secret === true && values.has(key)))
    problems.push({
      path,
      says: `${path} holds a key and can be read by others`,
      mend: `chmod 600 ${quoted(path)}`,
    });
  return { path, values, problems };
}

/** The text of the value, or what is wrong with it. */
export function readSetting(
  key: string,
  value: JsonValue | undefined,
  of: "project" | "own",
): string | Pick<SettingProblem, "says" | "nearest" | "mend"> {
  const flag = of === "project" ? " --project" : "";
  const mend = `bridle config set ${key} --unset${flag}`;
  const setting = settings.find((each) => each.key === key);
  if (setting === undefined || told.test(key)) {
    const near = nearest(
      key,
      settings.map((each) => each.key),
    );
    const instead = near === undefined ? "" : `; did you mean ${near}?`;
    return {
      says:
        setting === undefined ? `${quoted(key)} is no setting${instead}` : `${key} is set by Bridle itself`,
      ...(near === undefined || setting !== undefined ? {} : { nearest: near }),
      mend,
    };
  }
  const text = textOf(value, setting);
  if (text === undefined || (setting.fits !== undefined && !setting.fits(text.trim()))) {
    const shown = setting.secret === true ? "something else" : JSON.stringify(value);
    return { says: `${key} is ${shown}; it takes ${setting.takes ?? "text"}`, mend };
  }
  const refused = of === "project" ? notForProjects(key, text.trim()) : undefined;
  return refused === undefined ? text : { says: refused, mend };
}

/** Undefined where it is no kind of value that the setting has. */
function textOf(value: JsonValue | undefined, { takes }: Setting): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (typeof value === "boolean") return takes === "1 or 0" ? String(Number(value)) : undefined;
  const isList =
    Array.isArray(value) && value.every((each) => typeof each === "string" && !each.includes(","));
  return isList && takes?.includes("separated by commas") === true ? value.join(",") : undefined;
}

function quoted(text: string): string {
  return /^[\w./@+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
