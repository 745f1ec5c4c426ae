/** Provenance: seven fields at every place where an answer is given, help and errors included. */
import { routerName } from "../route/route.js";
import { bridgeDigest, exampleCount } from "../bridge.generated.js";
import type { Coverage, Provenance } from "../types.js";

export const bridgeFormatVersion = "1.0.0";

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
    bridge_version: bridgeDigest,
    bridge_format_version: bridgeFormatVersion,
    ann_snapshot_items: exampleCount,
    template,
    intent_classifier: routerName,
    coverage,
    timestamp_utc: timestamp,
  };
}
