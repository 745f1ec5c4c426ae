/** The first place in which two JSON values differ, with what stands there in each. */
import { isJsonObject, type JsonValue } from "@bridle/record";

export interface FieldDifference {
  /** As in `action_args.window_id` or `working_set_after[2]`; empty for the value itself. */
  readonly path: string;
  /** Undefined where there is nothing. */
  readonly left: JsonValue | undefined;
  readonly right: JsonValue | undefined;
}

/** Members are looked at in code-point order; those in `ignored` are not looked at, at the top only. */
export function firstDifference(
  left: JsonValue | undefined,
  right: JsonValue | undefined,
  { path = "", ignored = [] }: { readonly path?: string; readonly ignored?: readonly string[] } = {},
): FieldDifference | undefined {
  if (left === right) return undefined;
  if (Array.isArray(left) && Array.isArray(right)) return inArrays(left, right, path);
  if (isJsonObject(left) && isJsonObject(right)) {
    const names = new Set([...Object.keys(left), ...Object.keys(right)]);
    for (const name of [...names].sort()) {
      if (ignored.includes(name)) continue;
      const at = path === "" ? name : `${path}.${name}`;
      const found = firstDifference(memberOf(left, name), memberOf(right, name), { path: at });
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return { path, left, right };
}

function inArrays(
  left: readonly JsonValue[],
  right: readonly JsonValue[],
  path: string,
): FieldDifference | undefined {
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const found = firstDifference(left[i], right[i], { path: `${path}[${i}]` });
    if (found !== undefined) return found;
  }
  return undefined;
}

function memberOf(value: { readonly [name: string]: JsonValue | undefined }, name: string) {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** For a sentence: `action_name is "finalize" here and "abstain" there`. */
export function describeDifference(
  { path, left, right }: FieldDifference,
  [here, there]: readonly [string, string],
): string {
  const what = path === "" ? "the row" : path;
  return `${what} is ${shown(left)} ${here} and ${shown(right)} ${there}`;
}

const shownCharsMax = 120;

export function shown(value: JsonValue | undefined): string {
  if (value === undefined) return "missing";
  const text = JSON.stringify(value);
  return text.length <= shownCharsMax ? text : `${text.slice(0, shownCharsMax)}…`;
}
