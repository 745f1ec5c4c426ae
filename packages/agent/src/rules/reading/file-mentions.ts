/**
 * Files that a person names in a sentence, and what for: to have them changed, as
 * evidence, or as what must stay as it is.
 *
 * What a newcomer gets wrong: `Node.js`, `console.log(` and `example.com` look
 * like files, and a log that "shows an error" is named but not to be changed.
 */
import { plain } from "./words.js";

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
  for (const clause of clausesOf(text)) {
    for (const path of pathsIn(clause)) {
      const at = clause.indexOf(path);
      const before = plain(clause.slice(0, at));
      const after = plain(clause.slice(at + path.length));
      mentions.push({ path, role: roleOf(path, before, after), only: alone || isOnly(before, after) });
    }
  }
  return mentions;
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
    .flatMap((sentence) =>
      sentence.split(
        new RegExp(
          `(?:,|\\s)\\s*(?:${joins})\\s+(?=(?:please |also |then |auch |bitte )?(?:${changeVerbs})\\b)|,\\s+(?=(?:please |bitte )?(?:${changeVerbs})\\b)`,
          "iu",
        ),
      ),
    )
    .filter((clause) => clause.trim() !== "");
}

function roleOf(path: string, before: string, after: string): MentionRole {
  if (
    forbids.test(before) ||
    /^\W*(?:alone|untouched|unchanged|as (?:it )?is|in ruhe|unverandert|unangetastet|tel quel|intacte?|como esta)/.test(
      after,
    )
  )
    return "untouched";
  if (/\.(?:log|out)$/i.test(path) || evidenceBefore.test(before) || evidenceAfter.test(after))
    return "evidence";
  return changes.test(before) ||
    changes.test(after) ||
    changesUnspaced.test(after) ||
    changesUnspaced.test(before)
    ? "target"
    : "evidence";
}

function isOnly(before: string, after: string): boolean {
  return (
    /(?:^|[^\p{L}])(?:only|just|solely|exclusively|nur|ausschliesslich|lediglich|allein|seulement|uniquement|solo|solamente|unicamente|soltanto)(?:\s+[\p{L}]+){0,4}\W*$/u.test(
      before,
    ) ||
    /^\W*(?:\p{L}+\s+)?(?:only|alone|nur|seulement|uniquement|solo|solamente|だけ|のみ)(?![\p{L}])/u.test(
      after,
    ) ||
    /^\W*(?:だけ|のみ)/u.test(after)
  );
}

const joins = "and|then|and then|und|dann|sowie|et|puis|y|e|luego";
const changeVerbs = [
  "fix|change|edit|update|modify|add|remove|delete|raise|lower|set|make|bump|correct|replace|rewrite|reformat|format|adjust|extend|shorten|improve|convert|sort|clean|drop|turn|write|create|put|append|insert|implement|document|simplify|optimi[sz]e|speed|increase|decrease|enable|disable|swap|reword|polish|tidy|repair|tweak|patch|translate|rename|refactor|adapt|bring|mark|wrap|uncomment|comment|expose|export|deprecate|switch|use|give|let|pin|downgrade|upgrade|touch|cut",
  "ander\\w*|korrigier\\w*|beheb\\w*|reparier\\w*|fug\\w*|erganz\\w*|entfern\\w*|losch\\w*|setz\\w*|stell\\w*|erhoh\\w*|senk\\w*|mach\\w*|pass\\w*|ersetz\\w*|schreib\\w*|trag\\w*|verbesser\\w*|bereinig\\w*|ubersetz\\w*|kurz\\w*|fixe?n?|streich\\w*|formatier\\w*|heb\\w*",
  "corrig\\w+|modifi\\w+|chang\\w+|ajout\\w+|supprim\\w+|enlev\\w+|remplac\\w+|mets|mettre|mettez|augment\\w+|redui\\w+|tradui\\w+|ecri\\w+|amelior\\w+|repar\\w+|pass(?:e|er|ez)|renomm\\w+|met",
  "arregl\\w+|cambi\\w+|modific\\w+|anad\\w+|agreg\\w+|elimin\\w+|quit\\w+|borr\\w+|reemplaz\\w+|sustitu\\w+|pon|ponga|poner|sube|subir|aument\\w+|baj\\w+|actualiz\\w+|traduc\\w+|escrib\\w+|mejor\\w+|ajust\\w+|repar\\w+",
].join("|");
const changes = new RegExp(`(?<![\\p{L}-])(?:${changeVerbs})(?![\\p{L}])`, "u");
const startsChange = new RegExp(
  `^\\W*(?:(?:please|pls|also|then|and|now|just|finally|afterwards|could you|can you|would you|bitte|auch|dann|und|et|puis|y|luego|s'il te plait|por favor)\\W+)*(?:${changeVerbs})(?![\\p{L}])`,
  "u",
);
const changesUnspaced =
  /修正|変更|直し|追加|削除|更新|置き換|書き換|書い|上げ|下げ|外し|消し|にして|修改|改成|添加|删除|수정|변경|추가/u;
const pointsBack =
  /(?<![\p{L}])(?:it|that|this|them|there|these|those|its|the (?:file|typo|bug|line|test|error|value|section|function)|es|das|dies\w*|ihn|sie|dort|darin|ca|cela|le|la|les|lo|eso|esto|ahi)(?![\p{L}])/u;
const forbids =
  /(?<![\p{L}-])(?:do not|don't|dont|never|without|not|leave|keep|nicht|kein\w*|lass\w*|ohne|ne|sans|no|sin|deja|laisse\w*|nothing|nichts|rien|nada)(?:\s+[\p{L}']+){0,4}\W*$/u;
const nothingElse =
  /(?:nothing|no(?:thing)? (?:other|more)|not(?:hing)? anything) else|nothing more|no other (?:files?|changes?)|(?:leave|keep) (?:everything|all|the rest|the other)|(?:do not|don't) (?:touch|change|edit|modify) (?:anything|other|any other|the rest|the other)|sonst nichts|nichts (?:anderes|sonst|weiter)|keine andere\w*|rien d'autre|aucun autre|ne (?:touche|change|modifie)[rz]? (?:a )?rien|nada mas|ningun otro|no toques (?:nada|otr\w+)|他は|それ以外|ほかは|他のファイル/u;
const evidenceBefore =
  /(?:^|[^\p{L}])(?:see|according to|like(?: in)?|as in|same (?:way )?as(?: in)?|per|based on|using|following|described in|documented in|read|compare(?:d)?(?: (?:it )?(?:to|with))?|against|copy (?:\p{L}+ )*from|from|run|running|open|check|look at|siehe|laut|aus|wie in|gemass|nach|mit|lies|vergleiche?|voir|selon|d'apres|comme dans|depuis|lis|lance|ver|segun|como en|desde|lee|ejecuta|(?:like|similar to|analogous to|wie|analog zu|comme|como)(?:\s+\p{L}+){1,4})(?: (?:the|der|die|das|dem|den|file|datei|le|la|les|el|los|in|our|my|this))*\W*$/u;
const evidenceAfter =
  /^\W*(?:\([^)]*\)\s*)?(?:shows?|says?|reports?|complains?|fails?|failed|throws?|prints?|crash\w*|breaks?|lists?|describes?|explains?|mentions?|imports?|calls?|is red|zeigt|sagt|meldet|schlagt|wirft|beschreibt|stürzt|montre|dit|affiche|echoue|plante|muestra|dice|falla|lanza|describe|によると|を見|を読|を参照)/u;
const wide =
  /(?<![\p{L}])(?:renam\w+|everywhere|call ?sites?|callers?|usages?|references|all (?:places|files|uses|imports|occurrences)|across|throughout|whole (?:project|repo\w*|code ?base)|wherever|move|split|extract|umbenenn\w*|benenne|uberall|aufrufer\w*|verschieb\w*|im ganzen|partout|renomm\w+|deplac\w+|appelants?|renombr\w+|mover|mueve|en todas partes|todos los)(?![\p{L}])/u;
const wideUnspaced = /すべて|全て|全部|呼び出し元|リネーム|名前を変/u;
