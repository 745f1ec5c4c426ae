/**
 * R-READ-TOOL-ERRORS: where an error names an argument and its value, the next call
 * on that target does not repeat the old value.
 *
 * What a newcomer gets wrong: only `name: value` or `name=value` in an error of a tool
 * counts, and a path that a "Did you mean" offers. What an error says in other words
 * is not read, and after any change the error is forgotten.
 */
import type { JsonObject, JsonValue } from "@bridle/record";
import { pathOf, plainPath } from "../paths.js";
import { changesOf } from "../reading/changes.js";
import type { Detector, Finding } from "../types.js";

interface Pending {
  readonly args: JsonObject;
  /** Arguments to change. */
  readonly names: readonly string[];
  readonly says: string;
}

export const readToolErrors: Detector = {
  begin() {
    /** By tool and target. */
    const pending = new Map<string, Pending>();
    return {
      proposed({ tool, args }): Finding | undefined {
        if (pending.size === 0) return undefined;
        const key = keyOf(tool, args);
        const before = pending.get(key);
        pending.delete(key);
        if (before === undefined || !before.names.every((name) => same(name, before.args, args)))
          return undefined;
        const target = targetOf(args) ?? tool;
        return {
          what: `${tool} on ${target} failed, the error named the fix (${before.says}), and the call repeats what it told to change.`,
          remedy: `Apply what the error says for ${target}: ${before.says}.`,
        };
      },
      ran(call, outcome) {
        if (changesOf(call, outcome).length > 0) pending.clear();
        if (outcome.ok || call.tool === "run_shell") return undefined;
        const fix = fixIn(call.args, outcome.output);
        if (fix !== undefined) pending.set(keyOf(call.tool, call.args), { args: call.args, ...fix });
        return undefined;
      },
    };
  },
};

/** An error says what to do at its beginning. */
const errorCharsMax = 2_000;

function fixIn(args: JsonObject, output: string): Omit<Pending, "args"> | undefined {
  const text = output.slice(0, errorCharsMax);
  const meant = /\bdid you mean (\S+?)[?.,]?(?:\s|$)/i.exec(text);
  if (meant !== null && "path" in args) return { names: ["path"], says: meant[0].trim() };
  const named = [...text.matchAll(/\b([a-z][a-z0-9]*(?:_[a-z0-9]+)*)\s*[:=]\s*["'`]?([\w-]+)/g)].filter(
    ([, name = "", value]) => (name in args || name.includes("_") || name === "mode") && args[name] !== value,
  );
  if (named.length === 0) return undefined;
  return {
    names: [...new Set(named.map(([, name = ""]) => name))],
    says: named
      .map(([, name, value]) => `${name}: ${value}`)
      .join(", ")
      .slice(0, 160),
  };
}

function targetOf(args: JsonObject): string | undefined {
  const named = ["url", "command", "task_id", "id", "key", "query", "name", "goal"]
    .map((name) => args[name])
    .find((value) => typeof value === "string");
  return pathOf(args) ?? (typeof named === "string" ? named.trim() : undefined);
}

function keyOf(tool: string, args: JsonObject): string {
  return `${tool}\0${targetOf(args) ?? ""}`;
}

/** What is left out is what the tools take it for. */
function same(name: string, before: JsonObject, now: JsonObject): boolean {
  const value = (args: JsonObject): JsonValue => {
    const given = args[name] ?? (name === "mode" ? "create" : false);
    return name === "path" && typeof given === "string" ? plainPath(given) : given;
  };
  return JSON.stringify(value(before)) === JSON.stringify(value(now));
}
