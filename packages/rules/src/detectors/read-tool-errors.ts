/**
 * R-READ-TOOL-ERRORS: where an error names the fix, the next call applies it.
 *
 * What a newcomer gets wrong: only what the error told to change is compared.
 * New content under the same wrong mode is the same mistake; the same call after
 * an error that names no fix is none.
 */
import type { JsonObject, JsonValue } from "@bridle/record";
import { pathOf, placed } from "../reading/paths.js";
import { commandsOf, lineEffect } from "../reading/shell-effects.js";
import { type NamedFix, fixIn } from "../reading/tool-errors.js";
import type { Detector, Finding } from "../types.js";

interface Pending {
  readonly args: JsonObject;
  readonly fix: NamedFix;
}

export const readToolErrors: Detector = {
  begin() {
    /** By tool and target. */
    const pending = new Map<string, Pending>();
    const settle = (path: string) => {
      for (const key of pending.keys()) if (key.endsWith(`\0${path}`)) pending.delete(key);
    };
    return {
      proposed(call): Finding | undefined {
        const key = keyOf(call.tool, call.args);
        const bare = `${call.tool}\0`;
        const found = pending.has(key) ? key : pending.has(bare) ? bare : undefined;
        if (found === undefined) return undefined;
        const { args, fix } = pending.get(found)!;
        pending.delete(found);
        if (!repeats(args, call.args, fix)) return undefined;
        const target = targetOf(call.args) ?? call.tool;
        return {
          what: `${call.tool} on ${target} failed, the error named the fix (${fix.says}), and the call repeats what it told to change.`,
          remedy: `Apply what the error says for ${target}: ${fix.says}.`,
        };
      },
      ran(call, outcome) {
        const path = pathOf(call.args);
        if (outcome.ok) {
          if (call.tool === "run_shell") {
            const line = call.args["command"];
            if (typeof line === "string" && lineEffect(commandsOf(line)) !== "reads") {
              for (const key of pending.keys()) {
                const target = key.slice(key.indexOf("\0") + 1);
                if (target !== "" && (line.includes(target) || lineEffect(commandsOf(line)) === "unknown"))
                  pending.delete(key);
              }
            }
          } else if ((call.tool === "write_file" || call.tool === "edit_file") && path !== undefined)
            settle(path);
          return undefined;
        }
        const fix = fixIn(call, outcome.output);
        if (fix !== undefined) pending.set(keyOf(call.tool, call.args), { args: call.args, fix });
        return undefined;
      },
    };
  },
};

function targetOf(args: JsonObject): string | undefined {
  const path = pathOf(args);
  if (path !== undefined) return path;
  for (const name of ["url", "command", "task_id", "id", "key", "query", "name", "goal"]) {
    const value = args[name];
    if (typeof value === "string" && value.trim() !== "") return name === "url" ? value.trim() : value.trim();
  }
  return undefined;
}

function keyOf(tool: string, args: JsonObject): string {
  return `${tool}\0${targetOf(args) ?? ""}`;
}

/** Whether nothing of what the error named was changed. */
function repeats(before: JsonObject, now: JsonObject, fix: NamedFix): boolean {
  if (fix.args === "all") return same(before, now);
  return [...fix.args].every(([name, wanted]) => {
    const old = valueOf(before, name);
    const next = valueOf(now, name);
    if (wanted !== undefined && String(next) === wanted) return false;
    return same(old, next);
  });
}

/** What is left out is what the tools take it for. */
function valueOf(args: JsonObject, name: string): JsonValue {
  const value = args[name];
  if (name === "mode") return value ?? "create";
  if (typeof value === "string" && name === "path") return placed(value);
  return value ?? false;
}

function same(one: JsonValue, other: JsonValue): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
