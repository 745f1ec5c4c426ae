/**
 * Whether an issue says what would be accepted and how to verify it, as the
 * contract finds it in free text.
 *
 * The text is gone through line by line: the contract's patterns as one regular
 * expression would take quadratic time on a description made of blanks.
 */

/** What a verification command begins with: the contract's words, then ours. */
export const verificationCommands = [
  "mise run",
  "python3",
  "cargo",
  "premath",
  "sh",
  "nix develop -c",
  "uv run",
  "pytest",
  "npm run",
  "npm test",
  "npx",
  "node",
  "bridle",
  "hlq",
] as const;

const blank = "[^\\S\\n\\r\\u2028\\u2029]*";
const acceptance = new RegExp(`^${blank}acceptance(?:\\s+criteria)?\\s*:`, "im");
const words = `(?:${verificationCommands.join("|")})\\b`;
const commandStart = new RegExp(`^\\s*(?:[-*]\\s*)?\`?${words}`, "i");
const commandSpan = new RegExp(`\`${words}[^\`\\n]*\``, "i");

/** `Acceptance:` or `Acceptance criteria:` at the start of a line. */
export function namesAcceptance(text: string): boolean {
  return acceptance.test(text);
}

/** A command that is a line of its own, as a list item or not, in backticks or not; or one in backticks anywhere. */
export function namesVerification(text: string): boolean {
  return text.split("\n").some(isCommandLine) || commandSpan.test(text);
}

function isCommandLine(line: string): boolean {
  const start = commandStart.exec(line)?.[0];
  if (start === undefined) return false;
  const rest = line.slice(start.length);
  const tick = rest.indexOf("`");
  return tick === -1 || rest.slice(tick + 1).trim() === "";
}
