/**
 * What is really run, behind everything that only says how: `sudo -u x`, `env A=b`,
 * `timeout 5`, `npx`, `python -m`.
 *
 * What a newcomer gets wrong: an option of a wrapper may take the next word for
 * itself. `sudo -u www rm x` runs rm, not www.
 */

interface Wrapper {
  /** Options that are followed by a value. */
  readonly taking?: RegExp;
  /** Words of its own before the command, behind its options. */
  readonly own?: number;
  /** What it runs goes on after it returned. */
  readonly detaches?: true;
  /** It names packages, perhaps with a version. */
  readonly versioned?: true;
}

const packageRunner: Wrapper = { taking: /^(?:-p|--package|--from|--with|-c|--call)$/, versioned: true };
const wrappers: Readonly<Record<string, Wrapper>> = {
  ...{ command: {}, builtin: {}, exec: {}, time: {}, gtime: {}, "xvfb-run": {}, doas: { taking: /^-[uC]$/ } },
  sudo: { taking: /^-[ugpChDRT]$|^--(?:user|group|prompt|host|chdir)$/ },
  env: { taking: /^-[uCS]$|^--(?:unset|chdir)$/ },
  nice: { taking: /^-n$|^--adjustment$/ },
  ionice: { taking: /^-[cnp]$/ },
  stdbuf: { taking: /^-[ioe]$/ },
  timeout: { taking: /^-[sk]$|^--(?:signal|kill-after)$/, own: 1 },
  gtimeout: { taking: /^-[sk]$|^--(?:signal|kill-after)$/, own: 1 },
  ...{ nohup: { detaches: true }, setsid: { detaches: true } },
  ...{ npx: packageRunner, bunx: packageRunner, pnpx: packageRunner, uvx: packageRunner },
};
/** Two words that wrap. */
const pairs: readonly (readonly [program: RegExp, verb: RegExp, wrapper: Wrapper])[] = [
  [/^(?:uv|poetry|pipenv|rye|hatch|pdm)$/, /^run$/, { taking: /^(?:-p|--python|--with|--extra|--group)$/ }],
  [/^bundle$/, /^exec$/, {}],
  [/^(?:npm|pnpm|yarn|bun)$/, /^(?:exec|dlx|x)$/, packageRunner],
  [/^python[\d.]*$/, /^-m$/, {}],
];

export interface Unwrapped {
  readonly words: readonly string[];
  /** Something may go on after it returned. */
  readonly detached: boolean;
}

const turnsMax = 12;

export function unwrapped(given: readonly string[]): Unwrapped {
  let words = pastAssignments(given);
  let detached = false;
  for (let turn = 0; turn < turnsMax; turn += 1) {
    const found = wrapperOf(words);
    if (found === undefined) break;
    const rest = pastOptions(words.slice(found.length), found.wrapper);
    if (rest.length === 0) break;
    detached ||= found.wrapper.detaches === true;
    words = found.wrapper.versioned === true ? withoutVersion(rest) : rest;
  }
  return { words, detached };
}

function wrapperOf([first = "", second = ""]: readonly string[]):
  | { readonly wrapper: Wrapper; readonly length: number }
  | undefined {
  if (Object.hasOwn(wrappers, first)) return { wrapper: wrappers[first] ?? {}, length: 1 };
  const pair = pairs.find(([program, verb]) => program.test(first) && verb.test(second));
  return pair === undefined ? undefined : { wrapper: pair[2], length: 2 };
}

function pastOptions(words: readonly string[], { taking, own = 0 }: Wrapper): readonly string[] {
  let at = 0;
  while (at < words.length) {
    const word = words[at] ?? "";
    if (word === "--") {
      at += 1;
      break;
    }
    if (!word.startsWith("-")) break;
    at += taking?.test(word) === true ? 2 : 1;
  }
  return pastAssignments(words.slice(at + own));
}

function pastAssignments(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => !/^[A-Za-z_]\w*\+?=/.test(word));
  return at < 0 ? [] : words.slice(at);
}

function withoutVersion([program = "", ...rest]: readonly string[]): readonly string[] {
  return [program.replace(/(?<=.)@[\w.^~-]+$/, ""), ...rest];
}
