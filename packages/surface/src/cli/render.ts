/**
 * What a person, or with `--json` a program, reads at the end of a call.
 *
 * stdout carries the answer and nothing else; what is wrong goes to stderr. With
 * `--json` a failure is told on both: the object on stdout, the sentence on stderr.
 */
import type { Paint } from "@bridle/operation";
import type { JsonObject, JsonValue } from "@bridle/record";
import { withGuidePaths } from "./guides.js";

export interface FailureReport {
  readonly action: string;
  readonly failureClasses: readonly string[];
  readonly message: string;
  readonly hint?: string;
  readonly detail?: JsonObject;
}

export function jsonText(value: JsonValue): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

export function failureJson({ action, failureClasses, message, hint, detail }: FailureReport): JsonObject {
  return {
    action,
    result: "rejected",
    failureClass: failureClasses[0] ?? "internal_error",
    failureClasses,
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(detail === undefined ? {} : { detail }),
  };
}

/** `error: what happened (failure_class).` and, below it, what to do next. */
export function errorText({ message, failureClasses, hint }: FailureReport, paint: Paint): string {
  // An unknown setting's sentence ends in what to do; a class after that would only be in the way.
  const told = failureClasses[0] === "setting_unknown" ? message : withClass(message, failureClasses);
  return (
    lead("error:", paint.bad(paint.strong("error:")), told) +
    (hint === undefined ? "" : indent(withGuidePaths(hint), 7))
  );
}

/** `failure_class: what happened` as the contracts' checkers say it, and below it what to do next. */
export function checkerText({ message, failureClasses: [failureClass], hint }: FailureReport): string {
  return `${failureClass}: ${message}\n${hint === undefined ? "" : indent(hint, 2)}`;
}

export function warningText(sentence: string, paint: Paint): string {
  return lead("warning:", paint.note("warning:"), sentence);
}

function withClass(message: string, failureClasses: readonly string[]): string {
  const end = message.endsWith("?") ? "" : ".";
  return `${message.replace(/\.$/, "")} (${failureClasses.join(", ")})${end}`;
}

function lead(plain: string, painted: string, text: string): string {
  const [first = "", ...rest] = text.split("\n");
  return `${painted} ${first}\n${rest.map((line) => indent(line, plain.length + 1)).join("")}`;
}

function indent(text: string, columns: number): string {
  return text
    .split("\n")
    .map((line) => `${" ".repeat(columns)}${line}\n`)
    .join("");
}
