/**
 * Colour, where there is a terminal that wants it.
 *
 * What Bridle prints may come from a log or a model, so control characters that
 * could steer the terminal are shown instead of sent; `safeText` is the only way
 * out to a person's screen.
 */
import type { Paint } from "@bridle/operation";

type Env = Readonly<Record<string, string | undefined>>;

/** NO_COLOR wins over everything, FORCE_COLOR over the absence of a terminal. */
export function wantsColour(env: Env, isTerminal: boolean): boolean {
  if (env["NO_COLOR"]) return false;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined && forced !== "") return forced !== "0" && forced !== "false";
  return isTerminal && env["TERM"] !== "dumb";
}

export const plainPaint: Paint = {
  strong: (text) => text,
  dim: (text) => text,
  good: (text) => text,
  bad: (text) => text,
  note: (text) => text,
};

const colourPaint: Paint = {
  strong: (text) => `\u001b[1m${text}\u001b[22m`,
  dim: (text) => `\u001b[2m${text}\u001b[22m`,
  good: (text) => `\u001b[32m${text}\u001b[39m`,
  bad: (text) => `\u001b[31m${text}\u001b[39m`,
  note: (text) => `\u001b[33m${text}\u001b[39m`,
};

export function paintFor(colour: boolean): Paint {
  return colour ? colourPaint : plainPaint;
}

const colourOrControl =
  // oxlint-disable-next-line no-control-regex
  /\u001b\[[0-9;]*m|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Colour codes stay where colour is wanted; every other control character becomes visible. */
export function safeText(text: string, colour: boolean): string {
  return text.replace(colourOrControl, (found) => {
    if (found.length > 1) return colour ? found : "";
    return `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
