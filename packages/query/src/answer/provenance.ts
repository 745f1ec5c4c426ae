/** Provenance: seven fields at every place where an answer is given, help and errors included. */
import { routerName } from "../route/route.js";
import { bigQueryTexts, exampleTexts, sqlTexts } from "../texts.generated.js";
import { digestOfBridge } from "./bridge-digest.js";
import type { Coverage, Provenance } from "../types.js";

export const bridgeFormatVersion = "1.0.0";

let version: string | undefined;

/** The digest of what answers follow from: the templates in both forms, the examples, the names of coins. */
export function bridgeVersion(): string {
  return (version ??= digestOfBridge(sqlTexts, bigQueryTexts, exampleTexts));
}

export function provenanceOf({
  template,
  coverage,
  timestamp,
}: {
  readonly template: string | null;
  readonly coverage: Coverage | null;
  readonly timestamp: string;
}): Provenance {
  return {
    bridge_version: bridgeVersion(),
    bridge_format_version: bridgeFormatVersion,
    ann_snapshot_items: exampleTexts.length,
    template,
    intent_classifier: routerName,
    coverage,
    timestamp_utc: timestamp,
  };
}
