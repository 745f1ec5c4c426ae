/** What `--source` and the flags that go with it say: one kind of source for a pack, and no flag of another kind. */
import { hourOf, infoUrl, parseTime } from "@bridle/market";
import { refuse, type Refusal } from "@bridle/record";
import type { InfoSource, PackSource } from "../pack/build/make.js";

/** Files are named as they were given; whoever opens them knows from which folder. */
export type NamedSource = Exclude<PackSource, { readonly kind: "files" }> | NamedFiles;
export interface NamedFiles {
  readonly kind: "files";
  readonly paths: readonly string[];
}

export interface SourceInput {
  readonly sources: readonly string[];
  readonly seed?: string;
  readonly syntheticMarkets?: number;
  readonly days?: number;
  readonly from?: string;
  readonly to?: string;
  readonly infoMarkets?: readonly string[];
}

export function packSourceOf(input: SourceInput): NamedSource | Refusal {
  const { sources, seed, syntheticMarkets: markets, days, from, to, infoMarkets } = input;
  const kinds = new Set(sources.map(kindOf));
  if (kinds.size > 1) {
    return refuse("pack_sources_mixed", {
      message: `${[...kinds].sort().join(" and ")} sources were given for one pack`,
      hint: "Make two packs.",
    });
  }
  const [kind] = kinds;
  if (kind !== "synthetic" && (seed !== undefined || markets !== undefined || days !== undefined)) {
    return refuse("input_invalid", {
      message: "--seed, --synthetic-markets and --days belong to --source synthetic",
      hint: "Leave them out: recorded data has no seed.",
    });
  }
  if (kind !== "info" && (from !== undefined || to !== undefined || infoMarkets !== undefined)) {
    return refuse("input_invalid", {
      message: "--from, --to and --info-market belong to --source info",
      hint: "Leave them out, or narrow the episodes with --market.",
    });
  }
  switch (kind) {
    case "synthetic":
      return {
        kind,
        seed: seed ?? "1",
        ...(markets === undefined ? {} : { markets }),
        ...(days === undefined ? {} : { days }),
      };
    case "info":
      return infoSourceOf(input);
    default:
      return { kind: "files", paths: sources };
  }
}

function kindOf(source: string): "synthetic" | "info" | "recorded" {
  if (source === "synthetic") return source;
  return source === "info" || source.startsWith("info:") ? "info" : "recorded";
}

function infoSourceOf({ sources, from, to, infoMarkets }: SourceInput): InfoSource | Refusal {
  const [source = "info", second] = sources;
  if (second !== undefined)
    return refuse("input_invalid", { message: `two info endpoints were given: ${source} and ${second}` });
  const url = source === "info" ? infoUrl : source.slice("info:".length);
  if (!/^https?:$/.test(protocolOf(url) ?? "")) {
    return refuse("input_invalid", {
      message: `${source}: there is no http or https address behind info:`,
      hint: `For example info:${infoUrl}; plain info is that very address.`,
    });
  }
  const [first, last] = [hourIn(from), hourIn(to)];
  if (first === undefined || last === undefined || first > last) {
    return refuse("input_invalid", {
      message: `--source info takes --from and --to, two RFC 3339 times in order, not ${from ?? "nothing"} and ${to ?? "nothing"}`,
      hint: "For example --from 2025-07-01T00:00:00Z --to 2025-08-31T23:00:00Z.",
    });
  }
  const range = { from: first, to: last };
  return { kind: "info", url, range, ...(infoMarkets === undefined ? {} : { markets: infoMarkets }) };
}

function hourIn(text: string | undefined): number | undefined {
  const ms = text === undefined ? undefined : parseTime(text, { zoneless: "refused" });
  return ms === undefined ? undefined : hourOf(ms);
}

function protocolOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).protocol : undefined;
}
