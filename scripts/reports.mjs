/**
 * What test runs said, added up.
 *
 * vitest writes a JSON report per run. A test that was skipped counts as failed:
 * a proof that nobody ran proves nothing. So does a file that could not even be
 * loaded, which vitest counts as no test at all.
 *
 *     node scripts/reports.mjs <folder with reports> [name of a part that failed…]
 *
 * Reports are named for their part (test.json, proofs-001.json). A part that
 * failed although its reports are fine, or without any, counts as one failure.
 */
import { readdirSync, readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** Undefined when there is none, because the run was stopped or broke. */
export function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

export function countReport(report) {
  const unloadable = report.testResults.filter(isUnloadable).length;
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + unloadable,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/** The messages of everything that failed, for people. */
export function failuresOf(report) {
  return report.testResults
    .flatMap((file) => {
      const failed = file.assertionResults.filter(({ status }) => status === "failed");
      if (isUnloadable(file)) return [`  ${path.basename(file.name)}: ${file.message}`];
      return failed.map(({ fullName, failureMessages }) => `  ${fullName}\n${indented(failureMessages)}`);
    })
    .join("\n");
}

function isUnloadable({ status, assertionResults }) {
  return status === "failed" && assertionResults.every((result) => result.status !== "failed");
}

function indented(messages) {
  const lines = messages.flatMap((message) => message.split("\n"));
  return lines
    .filter((line) => !line.includes("node_modules"))
    .map((line) => `    ${line}`)
    .join("\n");
}

const calledDirectly = process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (calledDirectly) {
  const [folder = ".", ...failedParts] = process.argv.slice(2);
  const reports = readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => ({ name, report: readReport(path.join(folder, name)) }))
    .filter(({ report }) => report !== undefined)
    .map(({ name, report }) => ({ name, ...countReport(report) }));
  const sum = (key) => reports.reduce((total, count) => total + count[key], 0);
  const explained = (part) =>
    reports.some(({ name, failed, skipped }) => name.startsWith(part) && failed + skipped > 0);
  const unexplained = failedParts.filter((part) => !explained(part));
  const failed = sum("failed") + sum("skipped") + unexplained.length;
  for (const part of unexplained) process.stdout.write(`${part} failed\n`);
  if (sum("skipped") > 0) process.stdout.write(`${sum("skipped")} skipped, which counts as failed\n`);
  process.stdout.write(`${sum("passed")} passed, ${failed} failed\n`);
  process.exitCode = failed > 0 || sum("passed") === 0 ? 1 : 0;
}
