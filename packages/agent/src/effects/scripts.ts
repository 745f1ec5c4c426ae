/**
 * Scripts of a project and files that are run: by what their names promise.
 *
 * What a newcomer gets wrong: a name is all there is. `npm test` is taken to change
 * nothing and `make migrate` to change something; what `npm run build` does, nobody
 * here claims to know.
 */
import { type Call, has, only, operands, type Program } from "./call.js";
import type { Effect } from "./effect.js";
import { sweptAll } from "./formatters.js";

const testing = /^(?:test|t|tst|lint|check|typecheck|type-check|types|bench|coverage|e2e|unit)(?:[:-]|$)/;
const formatting = /^(?:fmt|format|prettier)$|(?::|^|-)(?:fix|write)$/;
const changing =
  /^(?:(?:db|database)[:_-].*|.*(?:migrat|seed|deploy|release|publish|bootstrap|setup|set-up|install|format|fmt|prettify|fix|clean|codegen|generate|scaffold|backup|restore|purge|reset|rename|convert|upgrade|import|provision|rollback|unlock|init|push|sync).*|gen(?:[:_-].*)?)$/i;

/** A script of the project or a target of make. */
export function namedScript(name: string, call: Call): readonly Effect[] | undefined {
  if (/^(?:deploy|release)(?::|$)/.test(name)) return only("deploy", "network");
  if (formatting.test(name) && !has(call.args, /check/)) return sweptAll(call, "fix");
  if (has(call.args, /^(?:--fix|--write|fmt|format|prettier|lint[:-]fix|fix)$/)) return sweptAll(call, "fix");
  if (testing.test(name)) return snapshots(call.args);
  return changing.test(name) ? only("act") : undefined;
}

/** Tests change nothing but the snapshots that they are told to renew. */
export function snapshots(args: readonly string[]): readonly Effect[] {
  return has(args, /^(?:-u|--update|--updateSnapshot|--update-snapshots?|--ci=false)$/)
    ? [{ kind: "write", path: "any.snap", how: "aside" }]
    : [];
}

/** A file that is run, by its name without its ending. */
export function namedFile(path: string): readonly Effect[] | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.\w+$/, "");
  return changing.test(name) ? only("act") : undefined;
}

const make: Program = (call) => {
  if (has(call.args, /^(?:-n|--just-print|--question)$/)) return [];
  return namedScript(operands(call.args)[0] ?? "all", call);
};
/** Its browsers are no packages of the project. */
const browserTests: Program = ({ args }) =>
  /^(?:install|uninstall)/.test(args[0] ?? "") ? only("network", "act") : snapshots(args);
const tests: Program = ({ args }) => snapshots(args);

export const scriptPrograms: Readonly<Record<string, Program>> = {
  ...{ make, gmake: make, just: make, task: make, rake: make, mage: make, nx: make, turbo: make },
  ...{ vitest: tests, jest: tests, playwright: browserTests },
};
