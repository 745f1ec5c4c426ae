/** What `--source` says, spelled as in `hlq pack build`: `synthetic`, `info`, `info:<url>`, `bigquery`, or files. */
import { infoUrl } from "@bridle/market";
import { refuse, type Refusal } from "@bridle/record";
import { isAbsolute, join } from "node:path";

export type SourceSpec =
  | { readonly kind: "synthetic" }
  | { readonly kind: "info"; readonly url: string }
  | { readonly kind: "bigquery" }
  | { readonly kind: "files"; readonly paths: readonly string[] };

/** The synthetic market that a fresh checkout is asked about; `--harness` makes its pack from the very same one. */
export const syntheticDefault = { seed: "1", markets: 12, days: 60, traders: 80 } as const;

/** Without flags the environment decides, and without that the synthetic market. */
export function specOf(flags: readonly string[], setting: string | undefined): SourceSpec | Refusal {
  const named =
    flags.length > 0
      ? flags
      : setting === undefined || setting === ""
        ? ["synthetic"]
        : setting.split(",").map((each) => each.trim());
  const kinds = new Set(
    named.map((each) =>
      /^(?:synthetic|bigquery)$/.test(each)
        ? each
        : each === "info" || each.startsWith("info:")
          ? "info"
          : "files",
    ),
  );
  const [kind] = kinds;
  if (kinds.size > 1 || (kind !== "files" && named.length > 1)) {
    return refuse("query_source_invalid", {
      message: `${named.join(" and ")} were given as one source`,
      hint: "One question has one source; only files can be several.",
    });
  }
  if (kind === "synthetic" || kind === "bigquery") return { kind };
  if (kind === "files") return { kind, paths: named };
  const url = named[0] === "info" ? infoUrl : (named[0] as string).slice("info:".length);
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    return refuse("query_source_invalid", {
      message: `${named[0]}: there is no http or https address behind info:`,
      hint: `For example info:${infoUrl}; plain info is that very address.`,
    });
  }
  return { kind: "info", url };
}

/** A name by which an open source can be found again between calls; undefined for those that must be fresh. */
export function keptName({
  spec,
  cwd,
}: {
  readonly spec: SourceSpec;
  readonly cwd: string;
}): string | undefined {
  if (spec.kind === "info" || spec.kind === "bigquery") return undefined;
  return `hlq.query:${spec.kind}:${spec.kind === "files" ? spec.paths.map((path) => at(cwd, path)).join("\n") : ""}`;
}

export function at(cwd: string, path: string): string {
  return isAbsolute(path) ? path : join(cwd, path);
}
