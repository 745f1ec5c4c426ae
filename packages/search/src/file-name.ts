/**
 * A name of an episode or a market as the name of a file. Whoever made the data
 * chose those names, and `../x` or `PURR/USDC` must not lead anywhere: what is no
 * letter, digit, dot, dash or underscore is written as its bytes, and so is a dot
 * at the beginning. Two names never give one file.
 */
export function fileNameOf(name: string): string {
  const written = [...Buffer.from(name, "utf8")]
    .map((byte, i) => {
      const letter = String.fromCharCode(byte);
      const isPlain = /[A-Za-z0-9_.-]/.test(letter) && !(i === 0 && letter === ".");
      return isPlain ? letter : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
  return written === "" ? "%" : written;
}
