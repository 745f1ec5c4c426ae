/**
 * What a final answer says about the work: that it is done, that it is not, that
 * it was not checked.
 *
 * What a newcomer gets wrong: people say so in many languages and rarely with the
 * word "done". "The limit is 20 now" claims as much as "Finished".
 */
import { onlyAsks, sentences } from "./words.js";

const done = anyOf(`
  done|complete[ds]?|completed|finished|fixed|ready|resolved|solved|implemented|added|adds|renamed|changed|updated|replaced|removed|deleted|moved|refactored|migrated|converted|created|wrote|written|switched|bumped|extended|corrected|repaired|introduced|exported|extracted|split|merged|applied|made|set|now|works?|in place|takes|returns|uses|handles|supports|accepts|committed|pushed|shipped|all good|rewrote|rewritten|patched|adjusted|turned|raised|lowered|dropped|wired|cleaned|simplified|passes|pass|compiles|builds
  fertig|erledigt|behoben|gelöst|geändert|umbenannt|ergänzt|hinzugefügt|jetzt|nun|abgeschlossen|umgestellt|angepasst|funktioniert|läuft|eingebaut|implementiert|repariert|korrigiert|ersetzt|entfernt|gelöscht|verschoben|erweitert|aktualisiert|angelegt|erstellt|geschrieben|bereit|umgesetzt|vollständig
  listo|lista|hecho|terminado|terminada|completado|completada|completo|arreglado|corregido|corregida|añadido|añadida|agregado|agregada|cambiado|cambiada|renombrado|actualizado|actualizada|implementado|implementada|ahora|ya|reemplazado|eliminado|resuelto|funciona|creado|he (?:añadido|cambiado|corregido|creado)
  terminée?s?|finie?|fait|faite|corrigée?s?|ajoutée?s?|renommée?s?|modifiée?s?|mise? à jour|prête?s?|maintenant|désormais|implémentée?s?|remplacée?s?|supprimée?s?|résolue?|fonctionne|créée?s?|c'est bon
  fatto|finito|completato|corretto|aggiunto|rinominato|aggiornato|adesso|ora|pronto|risolto|feito|concluído|corrigido|adicionado|renomeado|atualizado|agora|resolvido|pronta
  klaar|gedaan|toegevoegd|aangepast|hernoemd|opgelost|voltooid|gotowe|zrobione|dodano|naprawiono|готово|сделано|исправлено|исправил|добавил|добавлено|теперь|завершено|hazır|tamamlandı|klart|färdig`);
const doneUnspaced =
  /完了|完成|しました|できました|済み|なりました|直しました|已|好了|完毕|완료|했습니다|되었습니다/u;

const unfinished = anyOf(`
  not (?:yet )?(?:done|finished|complete|completed|ready|working|fixed)|unfinished|incomplete|isn't (?:done|finished|complete|ready)|still (?:fails?|failing|broken|open|missing|to do|needs?|does not|doesn't|red|errors?)|so far|in progress|partial(?:ly)?|halfway|work in progress|wip|remaining|remains|left to do|to be done|i stopped|gave up|stuck|blocked|fails? to (?:build|compile)|does not (?:build|compile|typecheck|pass)|doesn't (?:build|compile|typecheck|pass)|(?:build|tests?|tsc|typecheck|compiler) (?:still )?(?:fails?|failed|is red|are red|breaks|is broken)|could not (?:finish|complete|fix|get)|couldn't (?:finish|complete|fix|get)|next (?:step|i would)|as a next step|before i go on|draft|proposal
  nicht (?:fertig|abgeschlossen|erledigt|vollständig)|noch nicht|unfertig|unvollständig|bisher|teilweise|schlägt (?:noch |weiterhin )?fehl|scheitert|baut (?:noch )?nicht|kompiliert (?:noch )?nicht|es fehlt|fehlt noch|offen ist
  no (?:está|esta) (?:terminado|listo|completo)|sin terminar|todavía no|aún no|incompleto|sigue fallando|falla|falta
  pas (?:encore )?(?:terminé|fini|prêt)|inachevé|incomplet|échoue|reste à|il reste|ne compile pas
  non (?:è )?(?:finito|pronto|completo)|fallisce|não (?:está )?(?:pronto|terminado|concluído)|falha|ainda não|ancora non|nog niet|nie jest gotowe|не (?:готово|закончено|завершено)|ещё не`);
const unfinishedUnspaced = /未完了|まだ|途中|失敗し|未完成|还没|尚未|失败|아직/u;

const checking =
  "buil[dt]|compiled?|compiling|run|ran|running|test(?:ed|ing)?|check(?:ed|ing)?|type-?check(?:ed|ing)?|verif(?:y|ied|ying)|execut(?:ed?|ing)|validated?|tried|exercised";
const unchecked = [
  new RegExp(
    `\\b(?:not|never|haven't|hasn't|didn't|did not|don't|couldn't|could not|can't|cannot|can not|wasn't|weren't|isn't|unable to|without|nor|skipped|nothing|nobody)\\b(?! only\\b)(?:[\\s,]+(?:\\x60[^\\x60]+\\x60|[\\w'./-]+)){0,5}?\\s+(?:${checking})\\b`,
    "i",
  ),
  /\b(?:untested|unverified|unchecked|uncompiled|unbuilt|not type-?safe)\b/i,
  /\bno (?:type-?check|build|test run|tests?|compil\w+|check|verification)\b(?! (?:errors?|fail|problems?))/i,
  /\b(?:skipp(?:ed|ing)|without|left out|omitted)\b[^.]{0,25}\b(?:type-?check|build|tests?|tsc|compil\w+|check|verification)\b/i,
  /\b(?:type-?check|build|tests?|compilation|verification)\b[^.]{0,25}\b(?:pending|outstanding|skipped|not possible|is up to you|left to you|still to (?:be run|run|come))\b/i,
  /\bplease (?:run|build|compile|test|check|verify)\b|\b(?:needs|remains|has yet|have yet) to be (?:built|compiled|tested|checked|verified|run)\b|\byou (?:should|will have to|need to|may want to) (?:run|build|compile|test|check)\b/i,
  /\b(?:nicht|ohne|nie)\b[^.]{0,40}(?:geprüft|gebaut|getestet|kompiliert|ausgeführt|verifiziert|übersetzt|gelaufen|laufen lassen|überprüft|typgeprüft|zu bauen|zu testen|zu prüfen|typecheck|build|test)|\bungeprüft|\bungetestet|\b(?:gebaut|getestet|geprüft|kompiliert)[^.]{0,25}\bnicht\b|\bkeinen? (?:build|test|typecheck|prüfung)/iu,
  /(?:^|\W)(?:no|sin|nunca)\s[^.]{0,40}(?:compil|prob|verific|ejecut|comprob|test|constru)|(?:falta|pendiente)[^.]{0,20}(?:compil|prob|verific)/iu,
  /(?:^|\W)(?:pas|sans|jamais|aucune?)\s[^.]{0,40}(?:compil|test|vérifi|exécut|lanc|constru|contrôl)|non (?:testé|vérifié|compilé)/iu,
  /(?:^|\W)(?:non|senza|não|sem)\s[^.]{0,40}(?:compil|test|verific|esegu|execut|prova)/iu,
  /(?:niet|zonder)\s[^.]{0,40}(?:getest|gebouwd|gecompileerd|gecontroleerd|gedraaid)|не\s[^.]{0,30}(?:провер|собир|компил|запуск|тестир)/iu,
  /(?:ビルド|テスト|コンパイル|型チェック|確認|検証|実行)[^。]{0,14}(?:していません|していない|まだ|できません|できていません|未)|未(?:確認|検証|テスト|ビルド)|(?:没有|未|尚未)[^。]{0,8}(?:编译|测试|检查|构建|运行|验证)|(?:테스트|빌드|확인)[^.]{0,8}(?:않았|못했)/u,
];

/** Whether it claims, without a reserve, that what was asked for is there. */
export function claimsDone(answer: string): boolean {
  if (answer.trim() === "" || onlyAsks(answer)) return false;
  if (unfinished.test(answer) || unfinishedUnspaced.test(answer)) return false;
  return done.test(answer) || doneUnspaced.test(answer);
}

/** Whether it says that no check was made. */
export function admitsUnchecked(answer: string): boolean {
  return sentences(answer).some((sentence) => unchecked.some((pattern) => pattern.test(sentence)));
}

function anyOf(list: string): RegExp {
  const parts = list.trim().split(/\n\s*/).join("|");
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${parts})(?![\\p{L}\\p{N}_])`, "iu");
}
