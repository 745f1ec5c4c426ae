/**
 * Texts name a guide as the repository has it, docs/guides/agent.md. Whoever reads them stands in another folder,
 * so it is shown by where it lies beside the program that runs; where it does not, as it is written.
 */
import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

export function withGuidePaths(text: string, program = process.argv[1]): string {
  if (program === undefined || !text.includes("docs/guides/")) return text;
  return text.replaceAll(/docs\/guides\/[a-z-]+\.md/g, (name) => guideBeside(program, name) ?? name);
}

function guideBeside(program: string, name: string): string | undefined {
  try {
    const path = join(dirname(dirname(realpathSync.native(program))), name);
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}
