/** Labelled questions from a file, and a score as text for people and as a page for docs. */
import { familyNames } from "../families.js";
import type { Labelled, RouterScore } from "./score.js";

export function readLabelled(text: string, name: string): Labelled[] {
  return text
    .split("\n")
    .map((line, i) => ({ line, at: i + 1 }))
    .filter(({ line }) => line.trim() !== "")
    .map(({ line, at }) => {
      let value: Partial<Labelled>;
      try {
        value = JSON.parse(line) as Partial<Labelled>;
      } catch {
        throw new Error(`${name}:${at}: not JSON`);
      }
      if (typeof value.q !== "string" || typeof value.supported !== "boolean")
        throw new Error(`${name}:${at}: expected an object with at least q and supported`);
      return {
        ...value,
        family: value.family ?? null,
        coins: value.coins ?? [],
        window: value.window ?? null,
      } as Labelled;
    });
}

/** The bars for questions that were held out. */
export const bars = {
  top1: 0.95,
  top2: 0.97,
  slotF1: 0.95,
  unsupportedRecognised: 0.95,
  supportedRefusedMax: 0.03,
  inventedCoinsMax: 0,
} as const;

export function shortfalls(score: RouterScore): string[] {
  const low = (["top1", "top2", "slotF1", "unsupportedRecognised"] as const).filter(
    (key) => score[key] < bars[key],
  );
  return [
    ...low.map((key) => `${key} ${percent(score[key])} < ${percent(bars[key])}`),
    ...(score.supportedRefused > bars.supportedRefusedMax
      ? [`supported refused ${percent(score.supportedRefused)}`]
      : []),
    ...(score.inventedCoins > bars.inventedCoinsMax ? [`${score.inventedCoins} coins invented`] : []),
  ];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

export function scoreLines(score: RouterScore, { misses }: { readonly misses: boolean }): string {
  const lines = [
    `questions                ${score.questions} (${score.supported} supported, ${score.unsupported} not)`,
    `top-1                    ${percent(score.top1)}`,
    `top-2                    ${percent(score.top2)}`,
    `slot F1                  ${score.slotF1.toFixed(3)} (all slots right: ${percent(score.slotExact)})`,
    `unsupported recognised   ${percent(score.unsupportedRecognised)}`,
    `supported refused        ${percent(score.supportedRefused)}`,
    `coins invented           ${score.inventedCoins}`,
  ];
  if (misses) {
    lines.push(
      "",
      ...score.misses.map(
        ({ kind, q, expected, got }) =>
          `${kind.padEnd(9)}${JSON.stringify(q)}  expected ${expected}  got ${got}`,
      ),
    );
  }
  return `${lines.join("\n")}\n`;
}

/** The confusion matrix; an empty cell is zero. */
export function scoreMarkdown(score: RouterScore): string {
  const names = [...familyNames, "help", "unsupported"].filter(
    (name) =>
      score.confusion[name] !== undefined ||
      Object.values(score.confusion).some((row) => (row[name] ?? 0) > 0),
  );
  const head = `| labelled \\ routed | ${names.join(" | ")} |`;
  const rule = `| --- | ${names.map(() => "---:").join(" | ")} |`;
  const rows = names
    .filter((name) => score.confusion[name] !== undefined)
    .map((name) => `| ${name} | ${names.map((to) => score.confusion[name]?.[to] ?? "").join(" | ")} |`);
  return `${[head, rule, ...rows].join("\n")}\n`;
}
