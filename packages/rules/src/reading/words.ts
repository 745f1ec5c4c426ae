/**
 * Words and sentences of any language.
 *
 * What a newcomer gets wrong: Japanese, Chinese and Thai put no spaces between
 * words, so that counting spaces finds one word in a paragraph.
 */

/** Letters of languages that put no spaces between words. */
export const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });

/** In lower case, without the punctuation around them. */
export function words(text: string): string[] {
  const found: string[] = [];
  for (const token of text.split(/\s+/)) {
    if (unspaced.test(token)) {
      for (const part of segmenter.segment(token)) {
        if (part.isWordLike === true) found.push(part.segment.toLowerCase());
      }
      continue;
    }
    const bare = token.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");
    if (bare !== "") found.push(bare.toLowerCase());
  }
  return found;
}

/** Of what both have, in proportion to what either has. */
export function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 && other.size === 0) return 1;
  let shared = 0;
  for (const word of one) if (other.has(word)) shared++;
  return shared / (one.size + other.size - shared);
}

/** A full stop within a name or a number ends nothing. */
export function sentences(text: string): string[] {
  return text
    .split(/(?<=[.!?…]["'”’)»\]]*)\s+|(?<=[。！？])|\n+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

const requests =
  /^i(?:'d| would)? need (?:to know|you to|your)\b|^(?:please |kindly )?(?:tell|let|show|give|send) (?:me|us)\b|^please (?:say|confirm|choose|pick|specify|clarify|decide|advise|name)\b|^(?:bitte )?(?:sag|sagen sie|nenn|nennen sie|gib|geben sie)\b.*\b(?:mir|bescheid|welche)|^bitte .*(?:bestätig|präzisier|wähl|entscheid)|^(?:por favor,? )?(?:dime|dígame|indica|indícame|confirma|elige|aclara)|^(?:dis-moi|dites-moi|merci de (?:préciser|confirmer|choisir)|précise[zr]?|confirme[zr]?)|(?:教えてください|お知らせください|選んでください|ご確認ください|请告诉我|请确认|请选择)/iu;

export function isQuestion(sentence: string): boolean {
  return /[?？؟]["'”’)»\]*_`]*$/u.test(sentence.trim()) || requests.test(sentence.trim());
}

/** What leads up to a question, and reports nothing. */
const leadsIn =
  /\b(?:question|need to know|need (?:some|more|your|one)|not sure|unsure|unclear|ambiguous|before i|clarif\w*|depends|want to be sure|to be sure|several|multiple|more than one|two|three|four|both|zwei|drei|beide|dos|tres|ambos|deux|trois|frage|unklar|bevor ich|nicht sicher|mehrere|pregunta|antes de|no está claro|varios|question|avant de|pas clair|plusieurs)\b|質問|複数|両方|二つ|2つ|確認させて|その前に|请问|不确定/iu;
const reportWordsMax = 5;
const leadInWordsMax = 16;

/**
 * Whether a text only asks something back. The choices listed below a question
 * belong to it, and so does a short lead-in.
 */
export function onlyAsks(text: string): boolean {
  let asked = false;
  let statements = 0;
  for (const sentence of sentences(text)) {
    if (isQuestion(sentence)) {
      asked = true;
      continue;
    }
    if (/^(?:[-*•]|\d+[.)]|[a-z][.)])\s/i.test(sentence) || sentence.endsWith(":")) continue;
    const { length } = words(sentence);
    if (length > (leadsIn.test(sentence) ? leadInWordsMax : reportWordsMax)) return false;
    statements++;
  }
  return asked && statements <= 2;
}
