/** The beginning of a text that has at most so many bytes, cut between two characters. */
export function byteCut(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return text;
  const mark = "…";
  let end = bytesMax - Buffer.byteLength(mark);
  // Bytes that go on with a character begin with 10.
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end -= 1;
  return `${bytes.subarray(0, end).toString("utf8")}${mark}`;
}
