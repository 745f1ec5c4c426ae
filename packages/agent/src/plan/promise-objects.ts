/**
 * The things that a promise is about: file names, folders and globs that stand where
 * the object of the sentence stands, and a few kinds of files by their usual names.
 *
 * What a newcomer gets wrong: only what stands right at the verb counts. A path behind
 * "the signature of login in" is a place, not the thing.
 */

/** Everything there is. */
export const everywhere = Symbol("everywhere");
/** Globs; undefined where no thing was recognised. */
export type Things = readonly string[] | typeof everywhere | undefined;

interface How {
  /** In a commitment of a plan a few plain words may stand before the name. */
  readonly promised: boolean;
  /** Nothing may follow the things. */
  readonly last?: boolean;
}

const kinds: readonly (readonly [name: RegExp, globs: readonly string[]])[] = [
  [
    /^(?:lock ?-?files?|Lock-?dateien|Lock-?datei|fichiers? (?:de )?(?:verrouillage|lock)|archivos? (?:de )?(?:bloqueo|lock)|file di lock|arquivos? de lock|lockbestanden)$/iu,
    [
      ...[
        "**/package-lock.json",
        "**/npm-shrinkwrap.json",
        "**/yarn.lock",
        "**/pnpm-lock.yaml",
        "**/bun.lock",
      ],
      ...[
        "**/Cargo.lock",
        "**/poetry.lock",
        "**/uv.lock",
        "**/Gemfile.lock",
        "**/composer.lock",
        "**/go.sum",
      ],
    ],
  ],
  [/^(?:snapshots?|snapshot files?)$/iu, ["**/*.snap", "**/__snapshots__/**"]],
  [
    /^(?:tests?|test files?|test suite|specs?|unit tests|Testdateien|pruebas|testes|testy|тесты|テスト|测试)$/iu,
    ["**/*.{test,spec}.*", "**/test/**", "**/tests/**", "**/__tests__/**", "**/test_*.py", "**/*_test.go"],
  ],
  [
    /^(?:migrations?|migration files?|Migrationen|migraciones|migrazioni|migrações|migraties|миграции)$/iu,
    ["**/migrations/**"],
  ],
  [
    /^(?:CI|CI config(?:uration)?|workflows|GitHub Actions|CI files)$/iu,
    [".github/**", "**/.gitlab-ci.yml", "**/.circleci/**", "**/Jenkinsfile"],
  ],
  [
    /^(?:generated (?:files|code)|generierte (?:Dateien|Code)|fichiers générés|archivos generados)$/iu,
    ["**/generated/**", "**/gen/**", "**/*.gen.*", "**/*.generated.*", "**/*_pb2.py", "**/*.pb.go"],
  ],
  [
    /^(?:code|source code|production code|application code|Quellcode|Quelltext|código|codice|код)$/iu,
    ["**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs,py,go,rs,java,kt,rb,php,cs,swift,c,h,cpp,hpp,scala,ex,sql,sh,vue}"],
  ],
  [/^readme$/iu, ["**/README*", "**/readme*"]],
  [/^change-?log$/iu, ["**/CHANGELOG*", "**/changelog*"]],
  [/^(?:licen[cs]e)$/iu, ["**/LICENSE*", "**/LICENCE*"]],
  [/^(?:docs|documentation)$/iu, ["docs/**"]],
  [/^(?:vendor|vendored code)$/iu, ["**/vendor/**"]],
  [/^(?:env files?|\.env files?)$/iu, ["**/.env", "**/.env.*"]],
];

const article =
  /^(?:please|bitte|one|single|keine?n?|aucune?|ning[uú]n|ninguna|ninguno|nessun|nessuna|nenhum|nenhuma|geen|żadnych|du|des|dans|en|al|ai|alla|nel|nella|ao|aos|no|na|nos|nas|do|w|в|с|к|på|i|alle|todos|todas|tous|toutes|tutti|всё|任何|所有|the|a|an|any|any of the|all|all of|all the|our|my|your|its|existing|other|old|both|either|that|this|these|those|der|die|das|den|dem|le|la|les|el|los|las|il|lo|gli|de|het|o|os|as|à|au|aux|an|in|im)$/iu;
const container = /^(?:in|inside|under|below|within|beneath|at|from|of|unter|innerhalb)$/iu;
const filler =
  /^(?:files?|folders?|director(?:y|ies)|dirs?|paths?|content|contents|code|module|called|named|matching|that|match|alone|untouched|unchanged|unmodified|intact|as|Datei|Dateien|Ordner|fichiers?|dossier|archivos?|carpeta|file|cartella|bestand|map)$/iu;
const all =
  /^(?:anything|everything|any files?|files|nichts|etwas|irgendetwas|alles|rien|nada|niente|nulla|niets|iets|niczego|nic|ничего|任何文件|任何东西|任何内容|什么|ファイル|何も)$/iu;
/** "Not a single file" in other languages. */
const noFile =
  /(?<!\p{L})(?:keine? Dateien?|aucun fichier(?! (?:de|d['’]))|ningún (?:archivo|fichero)(?! de)|nessun file(?! di)|nenhum (?:arquivo|ficheiro)(?! de)|geen bestanden?|żadnych plików|никаких файлов)(?!\p{L})/giu;
const joint = /^(?:and|or|nor|und|oder|noch|et|ou|ni|y|o|e|en|of|&|\/|as well as)$/iu;
const except = /^(?:except|but|save|besides|außer|sauf|excepto|salvo)$/iu;

export function thingsAfter(text: string, how: How): Things {
  return things(words(text), how);
}

/** Read from the verb backwards to the last break, then forwards. */
export function thingsBefore(text: string, how: How): Things {
  const last =
    text.split(/，|,(?!\s*(?:\S+\s+)?(?:and|or|und|oder)\b)(?=\s)|:\s|\bwhile\b|\bbut\b|\bthat\b/iu).at(-1) ??
    "";
  return things(words(last), { promised: how.promised });
}

/** Every name of a file or folder in the text. */
export function pathsIn(text: string): readonly string[] {
  return words(text)
    .filter(looksLikePath)
    .map((word) => asGlob(word.text));
}

interface Word {
  readonly text: string;
  /** It stood in quotes of some kind, so it is a name. */
  readonly quoted: boolean;
}

function words(text: string): readonly Word[] {
  const spaced = text
    .replace(noFile, "anything")
    .replaceAll(
      /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}、，。：])(?=[\w./*`"])|(?<=[\w./*`"])(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}、，。：])/gu,
      " ",
    );
  return [...spaced.matchAll(/`([^`]+)`|"([^"]+)"|“([^”]+)”|«\s?([^»]+?)\s?»|([^\s`"“]+)/gu)].map((match) => {
    const [, ...groups] = match;
    const raw = groups.find((group) => group !== undefined) ?? "";
    const quoted = match[5] === undefined;
    return {
      text: quoted ? raw : raw.replace(/^[(['‘]+/u, "").replace(/[),.;:!?'’\]]+$/u, ""),
      quoted,
    };
  });
}

const unspaced = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー、，。：]+$/u;
const wordsSkipped = 4;

function things(said: readonly Word[], { promised, last = false }: How): Things {
  const found: string[] = [];
  const spared: string[] = [];
  let whole = false;
  let skipped = 0;
  let noun = "";
  let sparing = false;
  for (let at = 0; at < said.length; at += 1) {
    const word = said[at] as Word;
    if (word.text === "" || article.test(word.text)) continue;
    const kind = kindAt(said, at);
    if (looksLikePath(word)) {
      (sparing ? spared : found).push(asGlob(word.text));
    } else if (kind !== undefined) {
      (sparing ? spared : found).push(...kind.globs);
      at += kind.length - 1;
    } else if (folderAt(said, at) !== undefined) {
      (sparing ? spared : found).push(`${folderAt(said, at) as string}/`);
      at += 1;
    } else if (except.test(word.text)) {
      sparing = true;
    } else if (all.test(word.text) && found.length === 0) {
      whole = true;
      if (/^else$/iu.test(said[at + 1]?.text ?? "")) return undefined;
    } else if (unspaced.test(word.text)) {
      // "of it", as in the signature of it: then the file is only where it is.
      if (
        found.length > 0 &&
        /^(?:の(?!ファイル|中|下|コード|内容)|的(?!文件|代码|内容|任何|所有)|의 )/u.test(word.text)
      )
        return undefined;
    } else if (joint.test(word.text) && found.length > 0) {
      continue;
    } else if (container.test(word.text)) {
      if (!whole && found.length === 0 && skipped > 0) return undefined;
    } else if (/^[A-Z][A-Z_]{4,}$/u.test(word.text)) {
      // DESCRIPTION, VERSION, MAINTAINERS.
      (sparing ? spared : found).push(asGlob(word.text));
    } else if (filler.test(word.text)) {
      continue;
    } else if (found.length > 0) {
      if (last) return undefined;
      break;
    } else {
      skipped += 1;
      noun = word.text;
      if (whole || !promised || skipped > wordsSkipped)
        return whole && found.length === 0 && skipped === 0 ? everywhere : undefined;
    }
  }
  if (found.length > 0) return [...found, ...spared.map((glob) => `!${glob}`)];
  if (whole) return spared.length > 0 ? ["**", ...spared.map((glob) => `!${glob}`)] : everywhere;
  // "Keep logging" is about what the program does.
  return promised && skipped === 1 && !last ? byNoun(noun) : undefined;
}

const abstract =
  /^(?:apis?|behaviou?r|interfaces?|signatures?|outputs?|semantics|logic|names?|versions?|formats?|styles?|design|meaning|order|values?|defaults?|scope|goal|plan|rest|way|user|users|it|them|this|that|there)$/iu;
const extensions =
  "ts,tsx,mts,js,jsx,mjs,cjs,py,go,rs,java,kt,rb,php,cs,swift,c,h,cpp,css,scss,html,json,yml,yaml,toml,sql,sh";

/** "the translations", "generated code", "the parser": a folder or a file of that name. */
function byNoun(noun: string): Things {
  if (!/^[a-z][\w-]{2,}$/iu.test(noun) || abstract.test(noun)) return undefined;
  const name = noun.toLowerCase();
  const names = [name, name.endsWith("s") ? name.slice(0, -1) : `${name}s`];
  return names.flatMap((one) => [`**/${one}/**`, `**/${one}.{${extensions}}`]);
}

function kindAt(
  said: readonly Word[],
  at: number,
): { readonly globs: readonly string[]; readonly length: number } | undefined {
  for (const length of [3, 2, 1]) {
    const name = said
      .slice(at, at + length)
      .map(({ text }) => text)
      .join(" ");
    const kind = kinds.find(([form]) => form.test(name));
    if (kind !== undefined && at + length <= said.length) return { globs: kind[1], length };
  }
  return undefined;
}

/** "the legacy folder" and "folder legacy". */
function folderAt(said: readonly Word[], at: number): string | undefined {
  const isFolder = /^(?:folder|directory|dir|Ordner|Verzeichnis|dossier|carpeta|cartella)$/iu;
  const [first, second] = [said[at]?.text ?? "", said[at + 1]?.text ?? ""];
  const name = /^[\w.-]+$/u;
  if (isFolder.test(second) && name.test(first) && !filler.test(first)) return first;
  return isFolder.test(first) && name.test(second) && !container.test(second) && !filler.test(second)
    ? second
    : undefined;
}

/** A slash within, an extension, a leading dot, a wildcard; or a name in quotes. */
export function looksLikePath({
  text,
  quoted,
}: {
  readonly text: string;
  readonly quoted: boolean;
}): boolean {
  if (/^\w+:\/\//u.test(text) || /\s/u.test(text)) return false;
  if (/^(?:and\/or|either\/or|n\/a|e\.g|i\.e|etc|z\.B|u\.a|d\.h|w\/o|\d+(?:[./]\d+)+)\.?$/iu.test(text))
    return false;
  if (/^[\w@.*{},[\]-]*\/[\w@.*{},/[\]-]*$/u.test(text)) return text !== "/";
  if (
    /^\.[\w-]+(?:\.[\w-]+)*$/u.test(text) ||
    /^[\w*@[\]-]+(?:\.[\w*{},-]+)*\.(?:\w{1,10}|\*|\{[\w,]+\})$/u.test(text)
  )
    return true;
  return quoted
    ? /^[\w.-]+$/u.test(text)
    : /^(?:Makefile|Dockerfile|Gemfile|Procfile|Jenkinsfile|LICENSE|CODEOWNERS)$/u.test(text);
}

/** A bare name is that file wherever it lies. */
function asGlob(path: string): string {
  return path.includes("/") ? path : `**/${path}`;
}
