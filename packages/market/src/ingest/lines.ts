/** Bytes as lines of UTF-8 text, counted from 1; what is no UTF-8 is refused with the line it is on. */
import { Failure } from "@bridle/record";
import { marketLimits } from "../limits.js";

export interface Lines {
  /** The number of the first. */
  readonly first: number;
  readonly texts: readonly string[];
}

/** Without their ends, `\n` or `\r\n`; a last line without an end counts too. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>, source: string): AsyncGenerator<Lines> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let [rest, next] = ["", 1];
  const decode = (chunk?: Uint8Array): string => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch {
      throw new Failure("market_source_invalid", {
        message: `${source}: the text is not UTF-8 at or after line ${next}`,
        hint: "Is it packed, or a file of another kind?",
      });
    }
  };
  for await (const chunk of chunks) {
    const texts = (rest + decode(chunk)).split("\n");
    rest = texts.pop() ?? "";
    if (rest.length > marketLimits.lineBytesMax) {
      throw new Failure("market_source_invalid", {
        message: `${source}:${next + texts.length}: the line is longer than ${marketLimits.lineBytesMax} characters`,
        hint: "Is it a file of another kind?",
      });
    }
    if (texts.length > 0) yield { first: next, texts: texts.map(withoutReturn) };
    next += texts.length;
  }
  rest += decode();
  if (rest !== "") yield { first: next, texts: [withoutReturn(rest)] };
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
