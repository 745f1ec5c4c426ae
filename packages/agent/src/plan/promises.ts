/**
 * Promises read from words: "do not touch X", "keep X as it is", "no deletions",
 * "never push", "no new dependencies", in English and, where the form is plain, in
 * German, French, Spanish, Italian, Portuguese and Dutch.
 *
 * What a newcomer gets wrong: a sentence that forbids something about a file does not
 * protect the file. "Do not change the signature of login in src/auth.ts" allows edits
 * of src/auth.ts, so a path counts only as the thing that the verb is about. Words that
 * are not understood promise nothing.
 */
import type { Commitment } from "../types.js";
import { adverbs, allChanges, type Form, forms, not, notOfOneself } from "./promise-forms.js";
import { everywhere, thingsAfter, thingsBefore, type Things, pathsIn } from "./promise-objects.js";

interface Reading {
  /** The text is one commitment of a plan, not the talk of a user. */
  readonly promised: boolean;
  /** Its paths were named beside it. */
  readonly withPaths: boolean;
}

export function promisesIn(text: string, reading: Reading): readonly Commitment[] {
  const clauses = clausesOf(text);
  const lifted = clauses.flatMap((clause) => liftedIn(clause));
  const found = clauses.flatMap((clause, i) => fromClause(clause, reading, clauses[i - 1] ?? ""));
  if (found.length === 0 && reading.withPaths && protective.test(text)) {
    return [{ text: text.trim(), paths: [], actions: allChanges }];
  }
  return found
    .map((one) => ({ ...one, paths: one.paths.filter((path) => !lifted.includes(path)) }))
    .filter((one, i) => one.paths.length > 0 || found[i]?.paths.length === 0);
}

/** Said of paths that are named beside it. */
const protective =
  /\b(?:untouched|unchanged|unmodified|intact|as[- ](?:is|it is|they are)|off[- ]limits|frozen|read[- ]only|protected|immutable|taboo|hands off|alone|unverändert|unberührt)\b/iu;

const clauseCharsMax = 1_000;

/** At full stops and the like that end something; a dot within a name does not. */
function clausesOf(text: string): readonly string[] {
  return text
    .slice(0, 20_000)
    .split(
      /(?<=[^\s.])[.!?](?=\s|$|["')])|[;\n]|\s[–—-]\s|,?\s+(?:but|however|aber|mais|pero|però|mas|maar)\s+/u,
    )
    .map((clause) => clause.trim().slice(0, clauseCharsMax))
    .filter((clause) => clause !== "");
}

function fromClause(clause: string, reading: Reading, previous: string): readonly Commitment[] {
  const only = onlyWithin(clause, reading);
  if (only !== undefined) return [{ text: clause, paths: only, actions: allChanges }];
  const run = notToRun(clause, reading);
  const found = forms.flatMap((form) => fromForm(clause, form, reading, previous));
  return [...found, ...(run === undefined ? [] : [run])];
}

function fromForm(
  clause: string,
  form: Form,
  { promised, withPaths }: Reading,
  previous: string,
): readonly Commitment[] {
  const { actions, object, last = false } = form;
  const match = form.form.exec(clause);
  if (match === null || (form.promised === true && !promised)) return [];
  const before = clause.slice(0, match.index);
  const rest = clause.slice(match.index + match[0].length);
  if (!promised && !isSaidToUs(before, match[0], rest, object)) return [];
  const all = { text: clause, paths: [], actions };
  if (object === "bare") return bareEnd.test(rest) ? [all] : [];
  if (object === "none" || (withPaths && promised && !isPositive(clause))) return [all];
  const things: Things =
    object === "before" ? thingsBefore(before, { promised }) : thingsAfter(rest, { promised, last });
  if (things === everywhere || (object === "optional" && things === undefined)) return [all];
  if (things === undefined && object === "after" && pronoun.test(rest)) {
    const meant = pathsIn(`${previous} ${before}`);
    return meant.length === 0 ? [] : [{ text: clause, paths: meant, actions }];
  }
  if (things === undefined || things.length === 0) return [];
  return [{ text: clause, paths: things, actions }];
}

/** The thing was named before: "src/auth.ts is stable, do not change it". */
const pronoun = /^\s*(?:it|them|this|that|these|those|this file|that file|these files)?\W*$/iu;

/** What may follow a verb that needs no object; another object makes it another promise. */
const bareEnd =
  /^\s*(?:$|[,;:)(]|(?:or|and|nor|oder|und)\b|(?:anything|it|this|that|them|yet|here|directly|automatically|yourself)\b|(?:any |the |your |my |these |new |additional |extra |more |further |npm |other )*(?:changes|results?|work|code|branch(?:es)?|tags?|packages?|dependenc(?:y|ies)|modules|librar(?:y|ies))\b(?! (?:that|which|without|until|before|unless|if))|(?:to|on) (?:the )?(?:remote|origin|upstream|github|gitlab|main|master|production|npm|registry|anywhere)\b|anywhere\b)/iu;

const saidToUs =
  /(?:^|[,(:–—]|(?:^|\s)(?:you|please|and|but|then|also|just|so|or|to|must|should|bitte|though|still|we|with|it)\s*)$/iu;
const adjectives =
  /\b(?:alone|untouched|unchanged|intact|unmodified|frozen|same|is|are|unverändert|unberührt|unangetastet|sind|ist)$/iu;

/** A user also tells what a program does or fails to do; only what is asked of us counts. */
function isSaidToUs(before: string, said: string, rest: string, object: Form["object"]): boolean {
  if (new RegExp(`^${notOfOneself}`, "iu").test(said)) return false;
  if (object === "before") return !adjectives.test(said) || /^\W*$/u.test(rest);
  if (/^(?:without|ohne|sans|sin|senza|sem|zonder|I)\b/iu.test(said)) return true;
  return (
    saidToUs.test(before.trimEnd()) ||
    !/^(?:do|don|dont|never|no|avoid|must|should|may|not|keep|leave|leaving|only|just|stay|offline|change|edit|touch)/iu.test(
      said,
    )
  );
}

const within =
  /\b(?:only|exclusively) (?:touch|change|edit|modify|write(?: to)?|work (?:in|on))\b|\b(?:touch|change|edit|modify|write(?: to)?|work) (?:only(?: in| on| to)?|nothing (?:but|outside(?: of)?|except(?: for)?|other than))\b|\b(?:touch(?:ing)?|chang(?:e|ing)|edit(?:ing)?|modify(?:ing)?|writ(?:e|ing)) (?:to )?(?:(?:anything|any files?|files|any other files?|nothing)(?: else)? )?(?:but|outside(?: of)?|except(?: for| in)?|other than|beyond)\b|\bno (?:changes|edits|writes) (?:outside(?: of)?|except(?: in| to)?|beyond)\b|\b(?:limit|restrict|confine) (?:all |the |my |your )?(?:changes|edits|work|writes) to\b|\b(?:changes|edits) only (?:in|to|under)\b|\bstay (?:within|inside)\b/iu;

/** "Only change X", "nothing outside X": everything but X is protected. */
function onlyWithin(clause: string, { withPaths }: Reading): readonly string[] | undefined {
  const match = within.exec(clause);
  if (match === null) return undefined;
  if (withPaths) return ["**"];
  const things = thingsAfter(clause.slice(match.index + match[0].length), { promised: true });
  if (things === undefined || things === everywhere || things.length === 0) return undefined;
  return ["**", ...things.map((thing) => `!${thing}`)];
}

/** "Never run the migrations", "do not run `make release`". */
function notToRun(clause: string, { promised }: Reading): Commitment | undefined {
  const match = new RegExp(
    `\\b${not} ${adverbs}(?:(?:run|execute|start|invoke|use|pass|call)(?:ning|ing)?\\b|using\\b|(?=(?:merge|rebase|tag|amend|stash|restart|stop|kill|drop|seed|migrate|reset|revert|release|upgrade|downgrade)\\b))(.*)$`,
    "iu",
  ).exec(clause);
  if (match === null || (!promised && !isSaidToUs(clause.slice(0, match.index), match[0], "", "after")))
    return undefined;
  const [, rest = ""] = match;
  const quoted = /`([^`]+)`|"([^"]+)"/u.exec(rest);
  const told = (quoted?.[1] ?? quoted?.[2] ?? rest).toLowerCase().match(/[\p{L}\p{N}:_-]{3,}/gu) ?? [];
  const tool = /^\s*(?:the )?(?:tool )?`?([a-z]+(?:_[a-z]+)+)`?\W*$/u.exec(rest)?.[1];
  if (tool !== undefined) return { text: clause, paths: [], actions: [tool] };
  const verbSaid = match[0].slice(0, match[0].length - rest.length).trim();
  const isUse = /\b(?:us(?:e|ing)|pass(?:ing)?|call(?:ing)?)$/iu.test(verbSaid);
  if (isUse && !/^\s*(?:`[^`]+`|--[\w-]+|sudo)\W*$/u.test(rest)) return undefined;
  const verb =
    /^\s*(?:merge|rebase|tag|amend|stash|restart|stop|kill|drop|seed|migrate|reset|revert|release|upgrade|downgrade)\b/iu
      .exec(rest)?.[0]
      .trim();
  if (verb !== undefined) return { text: clause, paths: [], actions: [`run ${verb.toLowerCase()}`] };
  const words = told.filter(
    (word) =>
      !/^(?:the|any|all|our|this|that|these|again|script|scripts|command|commands|against|twice|shell|and|until|before|unless|without)$/u.test(
        word,
      ),
  );
  if (words.length === 0 || words.length > 3 || (quoted === null && told.length > 4)) return undefined;
  return { text: clause, paths: [], actions: [`run ${words.join(" ")}`] };
}

/** "X may change", "you can edit X now": what was forbidden before is allowed again. */
function liftedIn(clause: string): readonly string[] {
  const match =
    /\b(?:may|can|is allowed to|are allowed to) (?:now )?(?:be )?(?:chang(?:e|ed)|touched|edited|modified|updated|deleted|removed)\b/iu.exec(
      clause,
    );
  if (match === null || /\b(?:not|never)\b/iu.test(match[0])) return [];
  const things = thingsBefore(clause.slice(0, match.index), { promised: false });
  return things === undefined || things === everywhere ? [] : things;
}

const positive =
  /^(?:\W|then |finally |always |also |we |I |will |shall |must |to |please )*(?:add|append|update|write|create|make|implement|fix|edit|change|extend|document|mention|record|bump|test|run|use|put|migrate|convert|refactor|regenerate|include|ensure|verify|cover|replace|rename|delete|remove|clean|format|sync)\b/i;

/** A promise to do something, not to leave something. */
function isPositive(text: string): boolean {
  return positive.test(text.trim());
}
