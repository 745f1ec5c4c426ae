/**
 * Promises read from words: "do not touch X", "keep X as it is", "no deletions",
 * "never push", "no new dependencies", in English and, where the form is plain, in
 * other languages.
 *
 * What a newcomer gets wrong: a sentence that forbids something about a file does not
 * protect the file. "Do not change the signature of login in src/auth.ts" allows edits
 * of src/auth.ts, so a path counts only as the thing that the verb is about. Words that
 * are not understood promise nothing.
 */
import type { Commitment } from "../types.js";
import { adverbs, allChanges, type Form, forms, not, notOfOneself } from "./promise-forms.js";
import { withinAbroad } from "./promise-forms-abroad.js";
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
  const free = reading.promised ? [] : clauses.flatMap((clause) => freedIn(clause));
  const asked = reading.promised ? [] : clauses.flatMap((clause) => askedIn(clause));
  const found = clauses.flatMap((clause, i) => fromClause(clause, reading, clauses[i - 1] ?? ""));
  if (found.length === 0 && reading.withPaths && protective.test(text)) {
    return [{ text: text.trim(), paths: [], actions: allChanges }];
  }
  return found
    .map((one) => ({ ...one, paths: one.paths.filter((path) => !lifted.includes(path)) }))
    .filter((one, i) => one.paths.length > 0 || found[i]?.paths.length === 0)
    .filter(({ paths, actions }) => paths.length > 0 || !actions.some((action) => free.includes(action)))
    .map((one) => sparing(one, asked));
}

/** Who forbids every change and asks for a report in a file does not mean that file. */
function sparing(one: Commitment, asked: readonly string[]): Commitment {
  const everywhereSaid = one.paths.length === 0 || one.paths[0] === "**";
  if (asked.length === 0 || !everywhereSaid || !one.actions.includes("write")) return one;
  return {
    ...one,
    paths: [...(one.paths.length === 0 ? ["**"] : one.paths), ...asked.map((path) => `!${path}`)],
  };
}

const asks =
  /(?<!\p{L})(?:write|put|save|store|record|create|append|add|note|list|summari[sz]e|document|report|dump|schreibe?|leg|lege|speichere?|notiere?|escribe|guarda|anota|crea|écris|mets|note|crée|enregistre|scrivi|salva|escreva|salve|schrijf)(?!\p{L})|書いて|保存|まとめて|写到|写入|保存到/iu;
const negated =
  /(?<!\p{L})(?:not|n['’]t|never|no|nothing|without|nicht|nichts|kein\p{L}*|ohne|ne|pas|sans|rien|no|sin|nada|non|senza|não|sem|niet|geen)(?!\p{L})|ない|不要|别|勿/iu;

/** Files that the user asks to be written. */
function askedIn(clause: string): readonly string[] {
  return clause
    .split(/,\s|，/u)
    .flatMap((part) => (asks.test(part) && !negated.test(part) ? pathsIn(part) : []));
}

/** "You may push now", "go ahead and delete it". */
function freedIn(clause: string): readonly string[] {
  const found =
    /\b(?:you (?:may|can)|feel free to|(?:it is|it's) (?:ok|okay|fine) to|go ahead and|yes,?) (?:now |then )?(push|commit|delete|remove|deploy|publish|install)\b/iu.exec(
      clause,
    )?.[1];
  return found === undefined || negated.test(clause)
    ? []
    : [found === "remove" ? "delete" : found.toLowerCase()];
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
      /(?<=[^\s.])[.!?](?=\s|$|["')])|[。！？；]|[;\n]|\s[–—-]\s|,?\s+(?:but|however|aber|mais|pero|però|mas|maar)\s+/u,
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
  const rest = withoutMe(clause.slice(match.index + match[0].length));
  if (
    !promised &&
    !(form.abroad === true
      ? isSaidAbroad(before, match[0], object)
      : isSaidToUs(before, match[0], rest, object))
  )
    return [];
  if (onCondition.test(rest)) return [];
  const all = { text: clause, paths: [], actions };
  if (byHand.test(rest)) {
    const named = thingsAfter(rest.slice(0, rest.search(byHand)), { promised });
    if (withPaths) return [{ ...all, actions: editors }];
    return named === undefined || named === everywhere ? [] : [{ ...all, paths: named, actions: editors }];
  }
  if (object === "bareEnd") return /^\W*$/u.test(rest) ? [all] : [];
  if (object === "bare") return bareFrom(rest, all, actions);
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

/** Only what an editor writes; a generator may. */
const editors: readonly string[] = ["write_file", "edit_file"];
const byHand =
  /(?<!\p{L})(?:by hand|manually|directly by hand|von Hand|manuell|à la main|manuellement|a mano|manualmente|met de hand|ręcznie|вручную)(?!\p{L})|手で|手動|手动|手工/iu;
/** Something that may come true on the way. */
const onCondition =
  /(?<!\p{L})(?:until|unless|before|except (?:if|when)|as long as|while|if|bis|bevor|solange|es sei denn|außer wenn|wenn|falls|hasta que|salvo que|a menos que|antes de que|mientras|si|jusqu['’]à|sauf si|à moins|avant|tant que|finché|prima di|a meno che|até que|a menos que|enquanto|tenzij|totdat|voordat|dopóki|пока|если)(?!\p{L})/iu;

/** What only the user can bring about does not come true within a send. */
function withoutMe(rest: string): string {
  return rest.replace(
    /,?\s*\b(?:(?:without|before) (?:asking|checking with|telling|consulting)(?: me| us| first)*|without (?:my|our|explicit|prior) (?:approval|permission|consent|ok|okay|say-so|go-ahead|confirmation)|(?:until|unless|before) I\b.*|ohne (?:Rückfrage|mich zu fragen|meine \p{L}+)|bis ich\b.*|sans (?:me )?demander|sans mon accord|sin (?:preguntar(?:me)?|mi permiso))\s*$/iu,
    "",
  );
}

/** "Never push", "no push to main", "do not deploy to production". */
function bareFrom(rest: string, all: Commitment, actions: readonly string[]): readonly Commitment[] {
  const target =
    /^\s*(?:it |anything |changes |code |directly |straight )*(?:to|on|onto|into) (?:the |our )?[`"']?([\w./-]+)/iu.exec(
      rest,
    )?.[1];
  if (
    target !== undefined &&
    !/^(?:remote|origin|upstream|github|gitlab|anywhere|npm|registry|server|remotes|any|it)$/iu.test(target)
  ) {
    const [action = ""] = actions;
    // Which branch is checked out nobody here knows.
    if (!/^(?:push|force-push|deploy|publish)$/.test(action)) return [];
    const word = target.toLowerCase().replace(/^.*[/]/, "");
    const words = /^prod(?:uction)?$/.test(word) ? ["prod", "production"] : [word];
    return [{ ...all, actions: words.map((one) => `run ${action.replace("force-", "")} ${one}`) }];
  }
  return bareEnd.test(rest) ? [all] : [];
}

/** The thing was named before: "src/auth.ts is stable, do not change it". */
const pronoun = /^\s*(?:it|them|this|that|these|those|this file|that file|these files)?\W*$/iu;

/** What may follow a verb that needs no object; another object makes it another promise. */
const bareEnd =
  /^\s*(?:$|[,;:)(.!]|(?:(?:anything|it|this|that|them|nothing|here|directly|automatically|yourself|to|on|the|any|your|my|our|these|new|additional|extra|more|further|npm|other|external|third-party|a|remote|origin|upstream|github|gitlab|npm|registry|anywhere|changes?|results?|work|code|branch(?:es)?|tags?|packages?|dependenc(?:y|ies)|modules?|librar(?:y|ies)|yet|now|today|please|at all|for now|ever|again|under any circumstances|at any time|in this session|this time)\b\s*)+(?:$|[,;:)(.!]|(?:or|and|nor|oder|und|just|only)\b)|(?:or|and|nor|oder|und)\b)/iu;

const saidToUs =
  /(?:^|[,(:–—]|(?:^|\s)(?:you|please|and|but|then|also|just|so|or|to|must|should|bitte|though|still|we|with)\s*)$/iu;
const saidAbroad =
  /(?:^|[,;:(–—、，]|(?:^|\s)(?:et|mais|stp|svp|merci|de|plaît|surtout|y|pero|favor|e|ma|però|mas|und|aber|bitte|dabei|en|maar|i|ale|proszę|и|но|а|пожалуйста|och|men|og|please|and|but|then|puis|ensuite|luego|poi|dann|donc|alors|auch|sonst|jedoch|also|du|Sie|tú|tu|vous|você))$/iu;
const leadsOn = /^(?:without|ohne|sans|sin|senza|sem|zonder|bez|без|utan|uden|uten)(?!\p{L})/iu;
/** "The export ends without …": somebody else's doing. */
const ofOthers =
  /^(?:the|a|an|it|this|that|our|its|when|users?|le|la|les|l['’]|el|los|las|un|una|une|il|lo|der|die|das|ein|eine|het)(?:\s|$)/iu;

/** Where the verb comes first, nobody else may stand before it. */
function isSaidAbroad(before: string, said: string, object: Form["object"]): boolean {
  const lead = before.trim();
  if (leadsOn.test(said)) return !ofOthers.test(lead);
  // Where it comes last, the thing stands before it; "soll" and the like tell of a program.
  if (
    object === "before" ||
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(said)
  )
    return true;
  if (/^(?:nicht|nichts|nie|niemals|kein|keine|nur|niet|niets|geen)(?!\p{L})/iu.test(said))
    return !/(?<!\p{L})(?:soll|sollte|kann|darf|würde|will|wird|es|er|mag|zou|kan)(?!\p{L})/iu.test(lead);
  return saidAbroad.test(lead);
}

const adjectives =
  /\b(?:alone|untouched|unchanged|intact|unmodified|frozen|same|is|are|unverändert|unberührt|unangetastet|sind|ist)$/iu;

/** A user also tells what a program does or fails to do; only what is asked of us counts. */
function isSaidToUs(before: string, said: string, rest: string, object: Form["object"]): boolean {
  if (new RegExp(`^${notOfOneself}`, "iu").test(said)) return false;
  if (object === "before") return !adjectives.test(said) || /^\W*$/u.test(rest);
  if (/[:：]\s*["'`“]?$/u.test(before) && writesText.test(before)) return false;
  if (leadsOn.test(said)) return !ofOthers.test(before.trim()) || /,\s*$/.test(before);
  if (/^I\b/u.test(said)) return true;
  return (
    saidToUs.test(before.trimEnd()) ||
    !/^(?:do|don|dont|never|no|avoid|must|should|may|not|keep|leave|leaving|only|just|stay|offline|change|edit|touch)/iu.test(
      said,
    )
  );
}

/** What follows the colon is to be written somewhere. */
const writesText =
  /\b(?:add|append|insert|write|put|print|display|show|says?|reads?|titled|called|named|rename|log|comment|heading|label)\b/iu;

const within =
  /\b(?:only|exclusively) (?:touch|change|edit|modify|write(?: to)?|work (?:in|on))\b|\b(?:touch|change|edit|modify|write(?: to)?|work) (?:only(?: in| on| to)?|nothing (?:but|outside(?: of)?|except(?: for)?|other than))\b|\b(?:touch(?:ing)?|chang(?:e|ing)|edit(?:ing)?|modify(?:ing)?|writ(?:e|ing)) (?:to )?(?:(?:anything|any files?|files|any other files?|nothing)(?: else)? )?(?:but|outside(?: of)?|except(?: for| in)?|other than|beyond)\b|\bno (?:changes|edits|writes) (?:outside(?: of)?|except(?: in| to)?|beyond)\b|\b(?:limit|restrict|confine) (?:all |the |my |your )?(?:changes|edits|work|writes) to\b|\b(?:changes|edits) only (?:in|to|under)\b|\bstay (?:within|inside)\b/iu;

/** "Only change X", "nothing outside X": everything but X is protected. */
function onlyWithin(clause: string, { withPaths }: Reading): readonly string[] | undefined {
  const match = within.exec(clause) ?? withinAbroad.exec(clause);
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
