/**
 * The forms of words that rule something out, from Dutch to Korean; what they have in
 * common with the others stands in `promise-form.ts`.
 *
 * What a newcomer gets wrong: some of these languages put no space between words, so
 * that their forms are looked for within a word.
 */
import { changes, form } from "./promise-form.js";
import type { Form } from "./promise-forms.js";

export const northAndEast: readonly Form[] = [
  // Dutch.
  form(
    "niet (?:aanraken|wijzigen|aanpassen|veranderen|bewerken|overschrijven|aangeraakt|gewijzigd|aangepast|veranderd)",
    changes,
    "before",
  ),
  form(
    "(?:raak|wijzig|verander|bewerk|pas)(?= .*(?<!\\p{L})(?:niet|niets)(?!\\p{L}))|blijf (?:af )?van|laat(?= .*(?:met rust|ongewijzigd|zoals het is))|zonder(?= .*(?:aan te raken|te wijzigen|aan te passen))",
    changes,
    "after",
  ),
  form("niet (?:verwijderen|wissen|verwijderd)", ["delete"], "before"),
  form("verwijder(?= .*(?<!\\p{L})niet(?!\\p{L}))", ["delete"], "after"),
  form("verwijder niets|niets (?:verwijderen|wissen)", ["delete"], "none"),
  form("niet pushen|push (?:nog )?niet|geen push", ["push"], "none"),
  form("niet committen|commit (?:nog )?niet|geen commits?", ["commit"], "none"),
  form(
    "geen (?:nieuwe|extra) (?:afhankelijkheden|dependencies|pakketten|packages|libraries)|installeer niets|niets installeren",
    ["install"],
    "none",
  ),
  // Polish, Russian.
  form(
    "nie (?:ruszaj|dotykaj|zmieniaj|modyfikuj|edytuj|nadpisuj)(?:cie)?|bez (?:zmieniania|ruszania|dotykania|modyfikowania)|zostaw(?:cie)?(?= .*(?:bez zmian|w spokoju|jak jest))",
    changes,
    "after",
  ),
  form("nie (?:usuwaj|kasuj)(?:cie)?|bez usuwania", ["delete"], "after"),
  form("nie (?:pushuj|wypychaj)|bez pusha", ["push"], "none"),
  form("nie commituj|bez commit\\p{L}+", ["commit"], "none"),
  form(
    "bez nowych (?:zależności|bibliotek|pakietów)|nie (?:instaluj|dodawaj) (?:niczego|nowych|żadnych)",
    ["install"],
    "none",
  ),
  form(
    "не (?:трогай|трогайте|трогать|меняй|меняйте|менять|изменяй|изменяйте|изменять|редактируй|редактируйте|редактировать|правь|правьте|перезаписывай)|оставь(?:те)?(?= .*(?:как есть|без изменений|в покое|нетронут))",
    changes,
    "after",
  ),
  form("ничего не (?:меняй|менять|трогай|трогать|изменяй|изменять)(?:те)?", changes, "none"),
  form("не должн?(?:ен|на|но|ны|ы) (?:меняться|изменяться|измениться)", changes, "before"),
  form("не (?:удаляй|удаляйте|удалять|стирай)", ["delete"], "after"),
  form("ничего не (?:удаляй|удалять|удаляйте)", ["delete"], "none"),
  form("не (?:пушь|пушьте|пуши|пушить|делай(?:те)? (?:push|пуш))|без (?:push|пуша)", ["push"], "none"),
  form("не (?:коммить|коммитьте|коммитить|делай(?:те)? (?:commit|коммит))|без коммитов", ["commit"], "none"),
  form(
    "без новых (?:зависимостей|пакетов|библиотек)|не (?:добавляй|устанавливай|ставь)(?:те)? (?:новые |никаких |новых )?(?:зависимост\\p{L}*|пакет\\p{L}*|библиотек\\p{L}*)",
    ["install"],
    "none",
  ),
  // Swedish, Danish, Norwegian.
  form(
    "(?:rör|ändra|redigera) (?:inte|aldrig)|(?:rør|ændr|endre|rediger) (?:ikke|aldri|aldrig)|ikke (?:rør|endre|rediger)|utan att (?:röra|ändra)|uden at (?:røre|ændre)|uten å (?:røre|endre)",
    changes,
    "after",
  ),
  form("ta inte bort|radera inte|slet ikke|ikke slett|slett ikke", ["delete"], "after"),
  form("pusha inte|push ikke|ikke push|ingen push", ["push"], "none"),
  form("inga nya (?:beroenden|paket)|ingen nye (?:afhængigheder|avhengigheter|pakker)", ["install"], "none"),
  // Turkish.
  form("(?:dokunma|değiştirme)(?:y[ıi]n)?(?:[ıi]z)?", changes, "before"),
  form("push(?:lama| yapma| etme)(?:y[ıi]n)?", ["push"], "none"),
];

const chineseNot = "(?:不要|请勿|切勿|不得|不能|不许|不可|禁止|别|勿)(?:再|去)?";
export const eastAsian: readonly Form[] = [
  form(
    "(?:触らない|触れない|触らず|触れず|触るな|いじらない|変えない|変更しない|変更せず|変更するな|変更禁止|変更不可|編集しない|編集せず|編集禁止|修正しない|書き換えない|上書きしない|手を(?:加えない|触れない|付けない)|そのまま(?:に|で|残))",
    changes,
    "before",
    { glued: true },
  ),
  form("何も(?:変更し|編集し|修正し|触ら|変え)(?:ない|ず)|読み取りのみ", changes, "none", { glued: true }),
  form("(?:削除しない|削除せず|削除するな|削除禁止|消さない|消さず)", ["delete"], "before", { glued: true }),
  form("(?:何も|ファイルを?|一切)[^。、]{0,4}(?:削除し|消さ)(?:ない|ず)", ["delete"], "none", {
    glued: true,
  }),
  form("(?:push|プッシュ)(?:は|を)?(?:しない|せず|するな|禁止|不要)", ["push"], "none", { glued: true }),
  form("(?:commit|コミット)(?:は|を)?(?:しない|せず|するな|禁止)", ["commit"], "none", { glued: true }),
  form(
    "(?:依存(?:関係)?|パッケージ|ライブラリ)(?:は|を)?(?:追加し|インストールし|増やさ|入れ)(?:ない|ず)",
    ["install"],
    "none",
    { glued: true },
  ),
  form(
    `${chineseNot}(?:修改|更改|改动|变更|编辑|触碰|覆盖|改|动|碰)(?:到|了)?|保持(?=.*(?:不变|原样|不动))|保留(?=.*(?:原样|不动|不变))`,
    changes,
    "after",
    { glued: true },
  ),
  form(
    `${chineseNot}(?:修改|更改|改动|变更|编辑|触碰|改|动|碰)(?=\\s*(?:$|[,，。；;!！)）]))`,
    changes,
    "before",
    { glued: true },
  ),
  form(`${chineseNot}(?:删除|删掉|移除|删)`, ["delete"], "after", { glued: true }),
  form(`${chineseNot}(?:推送|push|推到)`, ["push"], "none", { glued: true }),
  form(`${chineseNot}(?:提交|commit)`, ["commit"], "none", { glued: true }),
  form(
    `${chineseNot}(?:引入|添加|安装|增加|新增)(?:任何)?(?:新的?)?(?:第三方)?(?:依赖|包|库)`,
    ["install"],
    "none",
    { glued: true },
  ),
  form("(?:건드리지|수정하지|변경하지|편집하지|바꾸지|고치지)\\s*(?:마|말|않)", changes, "before", {
    glued: true,
  }),
  form("(?:삭제하지|지우지)\\s*(?:마|말|않)", ["delete"], "before", { glued: true }),
  form("(?:push|푸시)(?:는|를|은)?\\s*하지\\s*(?:마|말|않)", ["push"], "none", { glued: true }),
  form("커밋(?:은|을)?\\s*하지\\s*(?:마|말|않)", ["commit"], "none", { glued: true }),
];
