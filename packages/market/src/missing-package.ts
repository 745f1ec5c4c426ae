/** Packages that are large or machine code and not installed with us: what is said where one is needed. */
import { Failure } from "@bridle/record";

export interface MissingPackage {
  /** With its version. */
  readonly name: string;
  /** What it is needed for. */
  readonly message: string;
}

/**
 * What `import()` of it threw, told as a refusal. The hint is that of a project which
 * imports us; a surface that knows how it was installed says another, by `detail`.
 */
export function missingPackage(error: unknown, { name, message }: MissingPackage): never {
  const code = (error as { code?: string }).code ?? "";
  if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") throw error;
  throw new Failure("market_engine_missing", {
    message,
    hint: `npm install ${name}`,
    detail: { missingPackage: name },
    cause: error,
  });
}
