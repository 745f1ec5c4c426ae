/**
 * Files that a person names in a sentence, and what for: to have them changed, as
 * evidence, or as what must stay as it is.
 *
 * What a newcomer gets wrong: `Node.js`, `console.log(` and `example.com` look
 * like files, and a log that "shows an error" is named but not to be changed.
 */
import { plain } from "./stems.js";

export type MentionRole = "target" | "evidence" | "untouched";

export interface FileMention {
  readonly path: string;
  readonly role: MentionRole;
  /** "Only X", "X, nothing else". */
  readonly only: boolean;
}

const extensions =
  "tsx?|mts|cts|jsx?|mjs|cjs|py|pyi|rs|go|java|kts?|cs|swift|rb|php|c|h|cc|cpp|hpp|m|scala|ex|exs|erl|clj|lua|r|jl|dart|zig|sh|bash|zsh|ps1|sql|css|scss|less|html?|vue|svelte|astro|xml|svg|json|jsonc|json5|ya?ml|toml|ini|cfg|conf|env|properties|md|mdx|rst|txt|tex|csv|tsv|log|out|lock|proto|graphql|gql|tf|hcl|gradle|cmake|ipynb|snap|bib|adoc|po";
const bareNames =
  "Dockerfile|Makefile|Justfile|Gemfile|Rakefile|Procfile|Jenkinsfile|Vagrantfile|Caddyfile|CODEOWNERS|README|LICENSE|\\.gitignore|\\.dockerignore|\\.npmrc|\\.nvmrc|\\.env|\\.editorconfig|\\.gitattributes";
const file = new RegExp(
  `(?<![\\p{L}\\p{N}_/.@-])((?:\\.{0,2}/)?(?:[\\p{L}\\p{N}_.@()\\[\\]-]+/)*[\\p{L}\\p{N}_.@\\[\\]-]*[\\p{L}\\p{N}_\\])-]\\.(?:${extensions})|(?:[\\p{L}\\p{N}_.-]+/)*(?:${bareNames}))(?![\\p{L}\\p{N}_/(-]|\\.[\\p{L}\\p{N}])`,
  "gu",
);
const folder = /(?<![\p{L}\p{N}_/.:@-])((?:\.{0,2}\/)?(?:[\p{L}\p{N}_.@-]+\/)+)(?![\p{L}\p{N}_])/gu;

/** Paths by how they look; folders only where they end with a slash. */
export function pathsIn(text: string): string[] {
  const quiet = text.replace(/https?:\/\/\S+/g, " ");
  const files = Array.from(quiet.matchAll(file), ([, path = ""]) => path).filter(isFile);
  return [...files, ...Array.from(quiet.matchAll(folder), ([, path = ""]) => path)];
}

function isFile(path: string): boolean {
  if (/^(?:[A-Z]\w*\.js|console\.log|[ei]\.g|process\.env|import\.meta\.env|vm\.c)$/.test(path)) return false;
  return !/^\d+(?:\.\d+)*\.[chmr]$/.test(path);
}

export function fileMentions(text: string): FileMention[] {
  const mentions: FileMention[] = [];
  const alone = nothingElse.test(plain(text));
  const clauses = clausesOf(text);
  for (const [i, clause] of clauses.entries()) {
    const next = plain(clauses[i + 1] ?? "");
    for (const path of namedIn(clause)) {
      const at = clause.indexOf(path);
      const before = plain(clause.slice(0, at));
      const after = plain(clause.slice(at + path.length));
      const only = alone || isOnly(before, after);
      mentions.push({ path, role: roleOf(path, { before, after, next, only }), only });
    }
  }
  return mentions;
}

/** After "only" a folder needs no slash at its end. */
function namedIn(clause: string): string[] {
  const named = pathsIn(clause);
  if (named.length > 0) return named;
  const bounded =
    /(?:only|solely|exclusively|nur|ausschlie(?:ß|ss)lich|seulement|uniquement|s[oó]lo|solamente|limit\w*|restrict\w*|confine\w*|stick|stay)(?:\s+\p{L}+){0,4}?\s+[`"']?((?:[\p{L}\p{N}_.@-]+\/)+[\p{L}\p{N}_.@-]+|[\p{L}\p{N}_.-]+(?=[`"']?\s+(?:folder|directory|package|Ordner|Verzeichnis))|(?<=[`"'])[\p{L}\p{N}_.-]+(?=[`"']))/iu.exec(
      clause,
    )?.[1];
  const german = /(?:Ordner|Verzeichnis|dossier|carpeta|folder|directory)\s+[`"']?([\p{L}\p{N}_./-]+)/iu.exec(
    clause,
  )?.[1];
  const found =
    bounded ?? (/\b(?:only|nur|seulement|uniquement|s[oó]lo)\b/iu.test(clause) ? german : undefined);
  return found === undefined ? [] : [found.replace(/[.,;:]+$/, "")];
}

/** Whether something else is to be changed of which no file is named, or the change reaches further by its nature. */
export function reachesFurther(text: string): boolean {
  if (wide.test(plain(text)) || wideUnspaced.test(text)) return true;
  return clausesOf(text).some((clause) => {
    const words = plain(clause);
    return (
      pathsIn(clause).length === 0 &&
      startsChange.test(words) &&
      !pointsBack.test(words) &&
      !forbids.test(words)
    );
  });
}

// --- Clauses ----------------------------------------------------------------------------------------

/** Commas divide only where another order begins. */
function clausesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?;。！？])\s+|\n+|\s+[-–—]\s+|(?<=[。！？])/u)
    .flatMap((sentence) => sentence.split(divisions).reduce<string[]>(withPlace, []))
    .filter((clause) => clause.trim() !== "");
}

/** "In a.toml, set the timeout": the place belongs to the order after it. */
function withPlace(done: string[], clause: string): string[] {
  const last = done.at(-1);
  if (last === undefined || !/^\W*(?:in|im|inside|within|dans|en|em|nel|w)(?:\s+\S+){1,4}$/iu.test(last))
    return [...done, clause];
  return pathsIn(last).length === 0 ? [...done, clause] : [...done.slice(0, -1), `${last}, ${clause}`];
}

const placeOnly = /^\W*(?:in|inside|within|im|dans|en|em|nel|nella)\W*$/iu;
const orderAfter = /^[`"']?\s*[,:]\s*(?:please\s+|bitte\s+)?\p{L}/iu;

interface Around {
  readonly before: string;
  readonly after: string;
  /** The clause that follows. */
  readonly next: string;
  readonly only: boolean;
}

function roleOf(path: string, { before, after, next, only }: Around): MentionRole {
  if (!only && (forbids.test(before) || staysAfter.test(after))) return "untouched";
  if (/\.(?:log|out)$/i.test(path)) return "evidence";
  if (only) return "target";
  if (takesOut.test(before)) return "target";
  // "Open a.ts and fix the typo there."
  if (goesThere.test(before) && startsChange.test(next) && pointsBack.test(next)) return "target";
  if (aside.test(before) || isObject.test(before)) return "evidence";
  if (evidenceBefore.test(before) || evidenceAfter.test(after) || isModel(path, before, after))
    return "evidence";
  const isQuestion =
    /\?\s*$/.test(after) &&
    !/(?:can|could|would|will) (?:you|we)|kannst du|konntest du|peux-tu|pouvez-vous|puedes|podrias/.test(
      before,
    );
  if (isQuestion) return "evidence";
  // "In a.sh, keep fourteen days": whatever is asked for there, it is asked for there.
  if (placeOnly.test(before) && orderAfter.test(after)) return "target";
  if (narrated.test(before) || (tells.test(before) && !bounds.test(before) && !startsChange.test(before)))
    return needs.test(after) ? "target" : "evidence";
  const orders = [before, after].some((part) => changes.test(part) || changesUnspaced.test(part));
  return orders || startsChange.test(before) || hasFault.test(before) || needs.test(after)
    ? "target"
    : "evidence";
}

/** A failing test is mended in what it tests, a plan is carried out elsewhere, a file that goes leaves traces. */
function isModel(path: string, before: string, after: string): boolean {
  if (
    /(?:^|[/._-])(?:tests?|specs?|e2e)(?:[/._-]|$)/i.test(path) &&
    /(?:fail\w*|broken|flaky|red|pass|green|rot\w*)(?![\p{L}])|^\W*(?:please )?(?:fix|make|get)\W*$/u.test(
      `${before} ${after}`,
    )
  )
    return true;
  if (
    /\.(?:md|txt|rst|pdf|csv|ya?ml|json)$/i.test(path) &&
    /(?:plan|spec\w*|proposal|design|list|review|issues?|points?|findings|todos?|comments|feedback|requirements|aufgaben|punkte)\s+(?:\p{L}+\s+)?(?:in|from|of|aus|de|en)\W*$/u.test(
      before,
    )
  )
    return true;
  return (
    /(?:delete|remove|drop|get rid of|losche?|entferne?|supprime|elimina|borra)\s+(?:the (?:file )?|die datei |le fichier |el archivo )?[`"']?$/u.test(
      before,
    ) || /^\W*(?:loschen|entfernen)/.test(after)
  );
}

const staysAfter =
  /^\W*(?:alone|untouched|unchanged|as (?:it )?is|in ruhe|unverandert|unangetastet|tel quel|intacte?|como esta)/;
const takesOut =
  /(?:remove|delete|drop|strip|cut|take|erase|entfern\w*|losch\w*|streich\w*|nimm|enlev\w+|supprim\w+|retir\w+|quit\w+|elimin\w+|borr\w+)\s+\S.*\s(?:from|out of|aus|de|du|del?)(?: (?:the|der|dem|den|le|la|el|file|datei))*\W*$/u;
const goesThere =
  /(?:open|look (?:at|into)|check|go (?:in)?to|take|see|offne|schau (?:in|dir)|ouvre|regarde|abre|mira)(?: (?:the|die|le|la|el))?\W*$/u;
const hasFault =
  /(?:typos?|misspell\w*|spelling|off[- ]by[- ]one|broken link|wrong (?:value|date|name|link|number|default|port|unit)|missing (?:comma|semicolon|bracket|import|await|word|quote|newline)|tippfehler|rechtschreib\w*|schreibfehler|faute de frappe|coquille|errata|error tipografico)(?:\s+\p{L}+){0,3}\s+(?:in|on|of|dans|en|im)(?: (?:the|der|dem|le|la|el))?\W*$/u;
const needs =
  /^\W*(?:needs?|should|must|has (?:a |an )?(?:typo|broken|wrong|stale|off)|is missing|lacks|wants|ought|still (?:says|has|uses)|braucht|soll(?:te)?|muss|hat einen (?:tipp|schreib)fehler|doit|devrait|a une (?:faute|coquille)|debe|deberia|necesita|tiene una? err)/u;

function isOnly(before: string, after: string): boolean {
  if (nothingBut.test(before)) return true;
  const isTold =
    (tells.test(before) && !bounds.test(before) && !startsChange.test(before)) || teller.test(before);
  if (
    !isTold &&
    /(?:^|[^\p{L}])(?:only|just|solely|exclusively|nur|ausschliesslich|lediglich|allein|apenas|somente|esclusivamente|alleen|enkel|uitsluitend|endast|bara|kun|tylko|только|sadece|limit|restrict|confine|stick|beschrank\w*|limite\w*|limitate|seulement|uniquement|solo|solamente|unicamente|soltanto)(?:\s+[\p{L}]+){0,4}\W*$/u.test(
      before,
    )
  )
    return true;
  return (
    /^\W*(?:(?!is|was|are|were|has|can|will|ist|war|est|es)\p{L}+\s+)?(?:only|nur|seulement|uniquement|solo|solamente|soltanto|apenas|somente|alleen)(?=\W*$|\s*[.,;:!)(—–-]|\s+(?:please|pls|bitte|and|und|et|y|e|for|fur|pour|para|s'il|por)(?![\p{L}]))/u.test(
      after,
    ) || /^\W*(?:だけ|のみ|만(?![\p{L}]))/u.test(after)
  );
}

/** A condition, or what is to be left behind. */
const aside =
  /(?<![\p{L}])(?:when(?:ever)?|if|once|unless|while|other than|instead of|rather than|besides|wenn|falls|sobald|statt|quand|lorsque|si|cuando|au lieu de|en vez de)(?:\s+\p{L}+){0,3}\W*$/u;
/** The program is to do it with the file; or the file is the source. */
const isObject =
  /(?<![\p{L}])(?:(?:validate|replace|ignore|exclude|include|handle|accept|support|allow|log|show|hide|skip|return|cache|load|parse|import|use|mention|ersetze?|remplace|reemplaza)(?: (?:the|a|our|file|die|datei|le|fichier|el|archivo))*|(?:use|using|take|reuse|apply)\s+\S.*\s(?:of|from|in))\W*$/u;
/** "Ne modifie que a.ts", "nothing except a.ts". */
const nothingBut =
  /(?<![\p{L}])(?:(?:ne |n')(?:\p{L}+ ){1,3}(?:que|qu'a?)|(?:do not|don't|never|nothing|no|nicht\w*|kein\w*|ne|rien|nada|ningun\w*)(?![\p{L}])(?:\s+\p{L}+){0,5}\s+(?:except|but|besides|apart from|other than|ausser|sauf|excepte|salvo|excepto|mas que))(?:\s+\p{L}+){0,3}\W*$/u;
/** What happens only there is a report, not a bound. */
const tells =
  /(?<![\p{L}])(?:(?:happen|occur|fail|break|crash|appear|affect|exist|reproduc|work|trigger|show)(?:e?s|e?d|ing)?|used|seen|imported|called|defined|present|tritt|passiert|kommt|erscheint|betrifft|scheitert|schlagt|funktioniert|geht|steht|produit|arrive|apparait|echoue|plante|fonctionne|ocurre|pasa|sucede|falla|aparece|funciona|succede|acontece)(?![\p{L}])/u;
const bounds =
  /(?<![\p{L}])(?:should|must|may|shall|let|soll\w*|darf|muss|doit|doivent|debe\w*|deve)(?![\p{L}])/u;
/** "We added it to a.ts last week." */
const narrated =
  /(?<![\p{L}'])(?:i|we|they|he|she|you|someone|somebody)(?:'ve|'d)?(?: (?:have|had|has|just|recently|already|also|only|then))*\s+(?:(?!need)\p{L}+ed|made|put|cut|brought|wrote|broke|did)(?![\p{L}])|(?<![\p{L}])(?:ich hab\w*|wir hab\w*|er hat|sie hat|j'ai|nous avons|(?:he|hemos) \p{L}+(?:ado|ido))(?![\p{L}])/u;
/** "I just added a.ts". */
const teller =
  /(?<![\p{L}])(?:i|we|he|she|they|it|somebody|someone|you|i've|we've|it's|ich habe|wir haben|habe|haben)(?:\s+(?:have|had|has|ve|is|was))?\s+(?:only|just|nur|gerade)(?:\s+[\p{L}]+){0,4}\W*$/u;

const joins = "and|then|and then|und|dann|sowie|et|puis|y|e|luego";
const changeVerbs = [
  "(?:fix|change|edit|update|modify|add|remove|delete|raise|lower|make|bump|correct|replace|rewrite|reformat|format|adjust|extend|shorten|improve|sort|clean|drop|turn|append|insert|simplify|optimi[sz]e|speed|increase|decrease|enable|disable|swap|reword|polish|repair|tweak|patch|rename|refactor|adapt|mark|wrap|uncomment|expose|deprecate|switch|pin|downgrade|upgrade|touch|mend|rephrase|restrict|confine|correct)(?:e?[ds]|ing)?|tidy|set|put|cut|use|give|let|bring|comment",
  "ander\\w*|korrigier\\w*|beheb\\w*|reparier\\w*|fug\\w*|erganz\\w*|entfern\\w*|losch\\w*|setz\\w*|stell\\w*|erhoh\\w*|senk\\w*|mach\\w*|pass\\w*|ersetz\\w*|trag\\w*|verbesser\\w*|bereinig\\w*|kurz\\w*|fixe?n?|streich\\w*|formatier\\w*|heb\\w*|beschrank\\w*|bearbeit\\w*|aktualisier\\w*|deaktivier\\w*|aktivier\\w*|geander\\w*|korrektur",
  "corrig\\w+|modifi\\w+|chang\\w+|ajout\\w+|supprim\\w+|enlev\\w+|remplac\\w+|mets|mettre|mettez|augment\\w+|redui\\w+|amelior\\w+|repar\\w+|pass(?:e|er|ez)|renomm\\w+|limit\\w+|touch\\w+",
  "arregl\\w+|cambi\\w+|modific\\w+|anad\\w+|agreg\\w+|elimin\\w+|quit\\w+|borr\\w+|reemplaz\\w+|sustitu\\w+|pon|ponga|poner|sube|subir|aument\\w+|baj\\w+|actualiz\\w+|mejor\\w+|ajust\\w+|repar\\w+|toc\\w+|toques",
].join("|");
/** Orders only where they open the clause; elsewhere they may be nouns or tell what happens. */
const orderVerbs = `${changeVerbs}|handle|cache|validate|escape|saniti[sz]e|round|cap|limit|log|return|throw|accept|allow|support|trim|strip|memoi[sz]e|await|close|catch|guard|define|configure|cent(?:er|re)|align|resize|colou?r|style|indent|reorder|prefix|hide|show|skip|ignore|exclude|include|tighten|relax|double|halve|clarify|unify|inline|work|stick|stay|keep|declare|mention|note`;
const changes = new RegExp(`(?<![\\p{L}-])(?:${changeVerbs})(?![\\p{L}])`, "u");
const startsChange = new RegExp(
  `^\\W*(?:(?:please|pls|also|then|and|now|just|finally|afterwards|could you|can you|would you|bitte|auch|dann|und|et|puis|y|luego|s'il te plait|por favor)\\W+){0,6}(?:${orderVerbs})(?![\\p{L}])`,
  "u",
);
const divisions = new RegExp(
  `(?:,|\\s)\\s*(?:${joins})\\s+(?=(?:please |also |then |auch |bitte )?(?:${changeVerbs})\\b)|,\\s+(?=(?:please |bitte )?(?:${changeVerbs})\\b)`,
  "iu",
);
const changesUnspaced =
  /修正|変更|直し|追加|削除|更新|置き換|書き換|書い|上げ|下げ|外し|消し|にして|修改|改成|添加|删除|수정|변경|추가/u;
const pointsBack =
  /(?<![\p{L}])(?:it|that|this|them|there|these|those|its|the (?:file|typo|bug|line|test|error|value|section|function)|es|das|dies\w*|ihn|sie|dort|darin|ca|cela|le|la|les|lo|eso|esto|ahi)(?![\p{L}])/u;
const forbids =
  /(?<![\p{L}-])(?:do not|don't|dont|never|without|not|leave|keep(?! (?:\p{L}+ ){0,3}(?:to|in|within)(?![\p{L}]))|nicht|kein\w*|lass\w*|ohne|ne|sans|no|sin|deja|laisse\w*|nothing|nichts|rien|nada)(?:\s+[\p{L}']+){0,4}\W*$/u;
const nothingElse =
  /(?:nowhere|no ?where|no place|not? anywhere) else|elsewhere (?:untouched|alone)|(?:and|but) no(?:thing|where) other|(?:don't|do not|never) (?:touch|change|edit|modify|alter) (?:a single |any )?(?:other|another) (?:file|thing|place)s?|nirgend(?:s|wo) (?:sonst|anders)|sonst (?:nirgend\w*|bleibt)|alles andere (?:bleibt|lass)|nulle part ailleurs|pas ailleurs|en ning[uú]n otro|en ninguna otra|nient'altro|nessun altro|nada mais|mais nada|nenhum outro|niets anders|verder niets|nic (?:wiecej|innego)|inget annat|intet andet|больше ничего|ничего (?:больше|другого)|其他(?:的)?(?:文件|地方)?(?:都)?(?:不要|别|不)|(?:不要|别|勿)(?:修改|更改|改|动|碰)?(?:任何)?其他|다른 파일은|以外は|(?:nothing|no(?:thing)? (?:other|more)|not(?:hing)? anything) else|nothing more|no other (?:files?|changes?)|(?:leave|keep) (?:everything|all|the rest|the other)|(?:do not|don't) (?:touch|change|edit|modify) (?:anything(?! (?:in|about|of|inside|under) )|other|any other|the rest|the other)|sonst nichts|nichts (?:anderes|sonst|weiter)|keine andere\w*|rien d'autre|aucun autre|ne (?:touche|change|modifie)[rz]? (?:a )?rien|nada mas|ningun otro|no toques (?:nada|otr\w+)|他は|それ以外|ほかは|他のファイル/u;
const evidenceBefore =
  /(?:^|[^\p{L}])(?:see|(?<=\S )(?:for|fur|pour|para)|(?:listed|mentioned|noted|reported|outlined|given|shown|specified|written|found) (?:in|by)|by|according to|like(?: in)?|as in|same (?:way )?as(?: in)?|per|based on|using|following|described in|documented in|read|compare(?:d)?(?: (?:it )?(?:to|with))?|against|copy (?:\p{L}+ )*from|from|run|running|open|check|look at|siehe|laut|aus|wie in|gemass|nach|mit|lies|vergleiche?|voir|selon|d'apres|comme dans|depuis|lis|lance|ver|segun|como en|desde|lee|ejecuta|(?:like|similar to|analogous to|wie|analog zu|comme|como)(?:\s+\p{L}+){1,4})(?: (?:the|der|die|das|dem|den|file|datei|le|la|les|el|los|in|our|my|this))*\W*$/u;
const evidenceAfter =
  /^[^\p{L}\p{N},;]*(?:\([^)]*\)\s*)?(?:shows?|says?|reports?|complains?|fails?|failed|throws?|prints?|crash\w*|breaks?|lists?|describes?|explains?|mentions?|imports?|calls?|is red|passes|pass|goes|stops|works|zeigt|sagt|meldet|schlagt|wirft|beschreibt|stürzt|montre|dit|affiche|echoue|plante|muestra|dice|falla|lanza|describe|によると|を見|を読|を参照)/u;
const wide =
  /(?<![\p{L}])(?:renam\w+|everywhere|call ?sites?|callers?|usages?|references|all (?:places|files|uses|imports|occurrences)|across|throughout|whole (?:project|repo\w*|code ?base)|wherever|move|split|extract|wire|hook (?:it )?up|register|integrate|also|as well|too|into (?:smaller|separate|several|its own|their own|a new|new|two|three)|new (?:file|module|component|helper)|as needed|if (?:needed|necessary)|where (?:needed|necessary)|and (?:so on|friends|similar)|etc|related files|feel free|configurable|konfigurierbar|(?:use|call|read|load|import|apply|pass|show|expose|render) (?:it|them|that|this) (?:in|from|to|on|by|at|everywhere)|(?:and|plus) (?:the |its )?(?:docs?|documentation|styles?|types|dependents?|schema|migrations?|imports)|whatever|anything else that|auch|aussi|tambien|umbenenn\w*|benenne|uberall|aufrufer\w*|verschieb\w*|im ganzen|partout|renomm\w+|deplac\w+|appelants?|renombr\w+|mover|mueve|en todas partes|todos los)(?![\p{L}])/u;
const wideUnspaced = /すべて|全て|全部|呼び出し元|リネーム|名前を変/u;
