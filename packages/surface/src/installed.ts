/**
 * How this Bridle was installed, and so which command adds a package to it.
 *
 * A package that Bridle does without where it can (DuckDB, BigQuery's client) is
 * found only when it is installed beside Bridle: in the project, globally, in the
 * folder that npx made, or in the checkout. Each has its own command.
 */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** `packageName`: with its version. `program`: the file that was started, links followed. */
export function installCommand(packageName: string, program: string): string {
  const root = dirname(dirname(program));
  const modules = dirname(root);
  if (basename(modules) !== "node_modules") {
    const isCheckout = existsSync(join(root, "scripts/ensure.mjs"));
    return isCheckout ? `npm --prefix ${quoted(root)} ci` : `npm install ${packageName}`;
  }
  const project = dirname(modules);
  const made = packageJson(project);
  if (made === undefined) return `npm i -g ${packageName}`;
  if (basename(dirname(project)) === "_npx")
    return `npx -p ${quoted(npxSpec(made, project))} -p ${packageName} ${basename(program)} …`;
  return `npm i -D ${packageName}`;
}

/** Of the running program; a program that only imports us is a project of its own. */
export function installCommandHere(packageName: string): string {
  const [, started] = process.argv;
  return installCommand(packageName, started === undefined ? "" : realPath(started));
}

interface PackageJson {
  readonly dependencies?: Readonly<Record<string, string>>;
  /** What npx was asked for, as it was typed. */
  readonly _npx?: { readonly packages?: readonly string[] };
}

function packageJson(folder: string): PackageJson | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as PackageJson;
  } catch {
    return undefined;
  }
}

function npxSpec({ dependencies = {}, _npx }: PackageJson, folder: string): string {
  const asked = _npx?.packages?.find((each) => /bridle/.test(each));
  const kept = dependencies["bridle"] ?? "bridle";
  return asked ?? (kept.startsWith("file:") ? resolve(folder, kept.slice("file:".length)) : kept);
}

function realPath(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    return resolve(file);
  }
}

function quoted(text: string): string {
  return /^[\w./:@+#-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
