/**
 * What the agent tells of steps on its way: that one failed, or needs no doing.
 *
 * What a newcomer gets wrong: "no errors" tells of no error.
 */

/** The part of a prerequisite by which it is referred to. */
interface Step {
  readonly number: number;
  readonly commands: readonly (readonly string[])[];
  readonly marks: readonly string[];
}

export interface StepReport {
  readonly failure: boolean;
  readonly alreadyDone: boolean;
  names(step: Step): boolean;
}

const nothingFailed =
  /(?<![\p{L}\p{N}_])(?:(?:no|zero|0|without(?: any)?|free of) (?:errors?|failures?|failed|problems?|issues?|warnings?)|no \w+ (?:failed|missing)|nothing (?:failed|is missing|was skipped)|ohne (?:fehler|probleme)|keine? (?:fehler|probleme)|fehlerfrei|fehlerlos|sin (?:errores|fallos|problemas)|ning[uú]n (?:error|fallo)|sans (?:erreurs?|problèmes?|échec)|aucune? (?:erreur|échec|problème)|senza errori|nessun errore|sem erros|nenhum erro|zonder fouten|geen fouten|без ошибок)(?![\p{L}\p{N}_])|エラー(?:は)?(?:なし|ありません)|问题なく|没有错误|无错误|오류 없이/giu;
const failureTold =
  /(?<![\p{L}\p{N}_])(?:fail\w*|error\w*|could not|couldn't|did not|didn't|cannot|can't|not (?:found|installed|work\w*|possible|available|run|done)|missing|refused|denied|broke\w*|unable|skipp\w*|without|unreachable|blocked|fehl\w*|nicht|kein\w*|übersprung\w*|gescheitert|fall[oóa]\w*|no (?:se )?(?:pudo|pude|puede|funciona|funcionó|está|hay)|omit\w*|échou\p{L}*|échec|erreur|impossible|pas (?:pu|trouvé|install\w*|abouti|possible)|n'a pas|non (?:è|riuscit\w*)|fallit\w*|falh\w*|não (?:foi|deu|consegui\w*)|mislukt|niet|nie (?:udało|powiod\w*)|misslyckades|mislykkedes|başarısız)(?![\p{L}\p{N}_])|失敗|エラー|できません|できなかった|ありません|失败|错误|无法|没有成功|실패|오류|не удалось|ошибк|не получилось/iu;
const doneAlready =
  /(?<![\p{L}\p{N}_])(?:already|exists|up to date|not (?:needed|necessary)|no need|nothing to do|bereits|schon|vorhanden|nicht nötig|ya (?:existe|está|estaba)|no hace falta|déjà|inutile|già|já existe|já está|al aanwezig|al gedaan|już|уже|redan|allerede|zaten)(?![\p{L}\p{N}_])|すでに|既に|不要です|已经|已存在|이미/iu;
const ordinals = [
  /\b(?:first|erste\w*|primer[ao]?|premi(?:er|ère)|prim[oa])\b|最初/iu,
  /\b(?:second|zweite\w*|segund[oa]|deuxième|second[eo])\b/iu,
  /\b(?:third|dritte\w*|tercer[ao]?|troisième|terz[oa])\b/iu,
  /\b(?:fourth|vierte\w*|cuart[oa]|quatrième|quart[oa])\b/iu,
];

/** A word of a command that stands for the whole: `mkcert` of `brew install mkcert`. */
const isTelling = (word: string) =>
  word.length > 3 &&
  !word.startsWith("-") &&
  !/^(?:install|build|test|tests|start|setup|init|update|create|check|clean|migrate|compose|pull|push|make|sync|seed)$/.test(
    word,
  );

export function reportsOf(text: string): StepReport {
  const told = text.replaceAll(nothingFailed, " ");
  return {
    failure: failureTold.test(told),
    alreadyDone: doneAlready.test(text),
    names: ({ number, commands, marks }) =>
      [...marks, ...commands.map((command) => command.join(" "))].some((name) => text.includes(name)) ||
      commands.some((command) => command.slice(1).some((word) => isTelling(word) && text.includes(word))) ||
      new RegExp(
        `(?:step|prerequisite|point|item|number|no\\.|nr\\.|schritt|punkt|voraussetzung|paso|punto|étape|point|passo|etapa|stap|krok|шаг|ステップ|手順|步骤|第|#)\\s*${number}(?!\\d)|(?:^|\\s)\\(?${number}[.):]`,
        "iu",
      ).test(text) ||
      ordinals[number - 1]?.test(text) === true,
  };
}
