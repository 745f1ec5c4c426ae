/**
 * How our scripts speak: aligned lines, dots to the number, colour only on a terminal.
 *
 * Nothing here moves the cursor, so that what is piped into a file reads the same.
 */
const dotsTo = 36;

/** `  building ………………………………………… 3 s`: the name at once, the time when it is done. On stderr. */
export function task(name) {
  const started = performance.now();
  const dots = "…".repeat(Math.max(2, dotsTo - name.length));
  process.stderr.write(`  ${name} ${dots} `);
  return {
    after: () => process.stderr.write(`${seconds(performance.now() - started)}\n`),
    failed: () => process.stderr.write("failed\n"),
  };
}

export function seconds(ms) {
  return ms < 9_950 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
}

/** Columns wide enough for their longest cell; numbers are given as text. */
export function table(rows, { right = [] } = {}) {
  const widths = [];
  for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, [...cell].length)));
  const pad = (cell, i) => {
    const space = " ".repeat((widths[i] ?? 0) - [...cell].length);
    return right.includes(i) ? space + cell : cell + space;
  };
  return rows.map((row) => `  ${row.map(pad).join("   ").trimEnd()}`).join("\n");
}

const codes = { good: 32, bad: 31, dim: 2, strong: 1 };

export function paint(kind, text, stream = process.stdout) {
  const plain = !stream.isTTY || (process.env.NO_COLOR ?? "") !== "" || process.env.TERM === "dumb";
  return plain ? text : `\x1b[${codes[kind]}m${text}\x1b[0m`;
}
