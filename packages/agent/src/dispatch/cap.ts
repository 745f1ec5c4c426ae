/** No output is too long for the model: what does not fit stands in an artifact that it can read. */
import type { Artifacts } from "../context/artifacts.js";
import type { ToolReport } from "../types.js";

export async function capReport(
  report: ToolReport,
  { charsMax, artifacts }: { readonly charsMax: number; readonly artifacts: Artifacts },
): Promise<ToolReport> {
  const { text } = report;
  if (text.length <= charsMax) return report;
  const id = await artifacts.put(text);
  const head = Math.floor(charsMax * 0.7);
  const tail = charsMax - head;
  const left = text.length - charsMax;
  const cut = `\n[… ${left} characters left out; the whole output is artifact ${id}: read_artifact({"id": "${id}"}) …]\n`;
  return {
    ...report,
    text: wellFormed(text.slice(0, head)) + cut + wellFormed(text.slice(-tail)),
    facts: { ...report.facts, artifact: id, chars: text.length },
  };
}

/** A cut within a character leaves none of it. */
function wellFormed(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "");
}
