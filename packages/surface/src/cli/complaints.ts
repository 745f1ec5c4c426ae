/** Ways of saying that a command line cannot be understood, each with where to look next. */
import { refuse, type Refusal } from "@bridle/record";

export function complaint(message: string, usage: string): Refusal {
  return refuse("invocation_invalid", { message, hint: `See \`${usage} --help\`.` });
}

export function unexpected(text: string, usage: string): Refusal {
  return complaint(`unexpected argument ${quote(text)}`, usage);
}

/** `; did you mean x?`, or nothing. */
export function meant(near: string | undefined): string {
  return near === undefined ? "" : `; did you mean ${near}?`;
}

export function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}…` : text);
}

/** A flag as it was typed, quoted only when it would be hard to read otherwise. */
export function flagName(name: string): string {
  return /^[\x21-\x7e]{1,60}$/.test(name) ? name : quote(name);
}
