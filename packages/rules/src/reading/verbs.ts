/**
 * Whether a phrase tells somebody to do something.
 *
 * What a newcomer gets wrong: this is a list of words, no grammar. It knows the
 * verbs of work on a project in a few languages; a phrase that it does not know
 * is no order, so that nobody is blamed for a list of facts.
 */
import { plainCommand } from "./commands.js";
import { looksLikePath } from "./paths.js";
import { words } from "./words.js";

const orders = wordSet(`
  correct repair adopt agree align allow assign audit block cast catch chain clear clip drop emit enforce expand factor feed flip fold forward guard handle hand harden honour integrate invert isolate limit localise localize lock loosen migrate mirror model name nest order organise organize override pack patch persist pick place prepare prune quote redirect relax require resolve respond retire return reuse route sanitise sanitize schedule secure select separate serve shift sketch specify stage structure style submit supply support suppress tag throw tighten toggle trace transfer transform trim tweak type unify unpack upload
  do add create make write update change edit fix rename move delete remove run execute start stop build compile test commit push tag install uninstall set
  configure replace extract put use adapt adjust read list find tell show check verify deploy release publish merge rebase refactor convert migrate generate
  document bump copy open close clean format lint summarise summarize report explain implement introduce wire register export import download fetch upload
  send apply revert restore split join drop enable disable turn switch look go review mention describe ensure draft translate sort filter parse load save
  store print log rebuild regenerate restart reset init initialise initialize scaffold seed backup back unlock purge upgrade downgrade pin squash checkout
  pull clone branch sync mark link hook connect insert append prepend wrap inline hoist swap port rewrite simplify measure profile benchmark compare count
  collect gather investigate analyse analyze search grep ask notify email mail post record note finish complete confirm validate sign archive compress zip
  unzip render draw plot resize crop train evaluate query define declare expose hide keep leave let give take get bring point plug attach detach mount
  unmount provision scale rotate invalidate flush warm monitor watch try repeat reorder group rework redo drain bootstrap launch boot ship cut tidy strip
  normalise normalize encode decode encrypt hash cache index annotate comment uncomment deprecate extend backfill stub mock cover track untrack bundle minify transpile vendor fork cherry-pick stash amend dump truncate alter partition shard reindex reseed rerun recheck retest redeploy shorten reduce increase raise lower bind map
  lege leg erstelle erzeuge füge schreibe schreib ändere änder passe pass ersetze entferne lösche lösch benenne benenn verschiebe installiere führe führ
  starte baue bau teste prüfe prüf lies committe aktualisiere setze setz nutze verwende generiere kopiere öffne zeige zeig liste suche such dokumentiere
  trage trag mache mach richte richt übersetze fasse fass behebe repariere pushe tagge räume sortiere lade speichere stelle stell nimm gib hole hol binde
  baue ergänze erweitere lass lasse rufe ruf melde korrigiere bereinige migriere konvertiere verteile deploye
  crea añade agrega escribe cambia renombra mueve borra elimina instala ejecuta corre actualiza usa reemplaza sustituye arregla corrige prueba comprueba
  verifica lee haz documenta genera copia despliega sube configura pon abre muestra busca revisa compila lanza añádelo ajusta adapta modifica quita saca
  extrae convierte migra traduce resume explica dime cuenta inicia arranca etiqueta publica
  crée ajoute écris change renomme déplace supprime installe exécute lance mets utilise remplace corrige teste vérifie lis fais documente génère copie
  déploie configure ouvre montre cherche adapte modifie extrais convertis migre traduis résume explique dis compte démarre publie retire construis
  aggiungi scrivi esegui aggiorna rinomina sposta elimina installa lancia sostituisci correggi leggi crea verifica genera
  crie adicione escreva execute rode atualize renomeie mova apague remova instale substitua corrija verifique leia
  maak voeg schrijf verander hernoem verplaats verwijder installeer draai voer werk gebruik vervang controleer lees
  utwórz dodaj napisz zmień usuń zainstaluj uruchom zaktualizuj przenieś popraw sprawdź
  создай добавь обнови запусти удали переименуй установи напиши исправь проверь замени перенеси создать добавить обновить запустить удалить установить`);
const leadIns = wordSet(`
  please then first firstly second secondly third thirdly next finally lastly last afterwards after that also and now just kindly you should must to i we
  want need would like can could will in the end by
  bitte dann danach zuerst erst zunächst anschließend zuletzt schließlich und noch
  por favor luego después primero finalmente y también
  d'abord ensuite puis enfin et aussi s'il te vous plaît
  prima poi infine depois primeiro per favore eerst daarna tenslotte najpierw potem сначала потом затем`);

const endsAsOrder =
  /(?:してください|して下さい|ください|お願いします|します|せよ|すること|(?<!発生|失敗)する|(?<!発生|失敗)し|して|作る|書く|読む|直す|消す|入れる|作成|追加|実行|変更|更新|削除|確認|修正|移動|置換|インストール|テスト|コミット|ビルド|デプロイ|하기|해줘|해 줘|하세요|한다|추가|생성|실행|수정)[。.、]?$/u;
const startsAsOrder =
  /^(?:请)?(?:创建|新建|添加|修改|运行|更新|删除|重命名|安装|执行|编写|测试|提交|把|将|检查|替换|生成|读取|部署|推送)/u;
const germanInfinitive =
  /(?:anlegen|erstellen|erzeugen|fügen|schreiben|ändern|anpassen|ersetzen|entfernen|löschen|benennen|schieben|installieren|ausführen|starten|bauen|testen|prüfen|lesen|committen|aktualisieren|setzen|nutzen|verwenden|generieren|kopieren|öffnen|zeigen|suchen|dokumentieren|eintragen|machen|richten|übersetzen|fassen|beheben|reparieren|pushen|taggen|räumen|sortieren|laden|speichern|stellen|ergänzen|erweitern|lassen|melden|korrigieren|bereinigen|migrieren|konvertieren|deployen|binden|extrahieren|formatieren|veröffentlichen|mergen|lagern|teilen|erhöhen|freigeben|sichern|stoppen|spielen|führen|schalten|aktivieren)[.,;]?$/u;
const romance =
  /(?:^|[\s'’])(?:el|la|los|las|de|del|en|y|con|una|un|le|les|des|du|et|dans|avec|il|lo|gli|o|os|as|em|no|na)(?:\s|$)/i;

/** Whether the phrase begins with, or in some languages ends with, what somebody is to do. */
export function isOrder(phrase: string): boolean {
  const text = phrase.trim().replace(/^[*_>\s"'“]+/, "");
  if (text === "") return false;
  if (/^`[^`]+`/.test(text)) return !isAboutIt(text);
  if ((plainCommand(text)?.length ?? 0) > 1 && !aboutIt.test(text)) return true;
  if (
    /^(?:please )?(?:have|let|get) (?:a|an|the|one|two|another|someone|somebody|me|us|it|them|\p{Lu}\p{L}+)\s(?!been\b|had\b)/u.test(
      text,
    )
  )
    return true;
  if (endsAsOrder.test(text) || startsAsOrder.test(text)) return true;
  const all = words(withoutPlace(text));
  const first = all.find((word) => !leadIns.has(word)) ?? "";
  const verb = first.replace(/(?:-le|-la|-les|-lo|lo|la)$/, (tail) => (orders.has(first) ? tail : ""));
  if (orders.has(first) || (verb.length > 3 && orders.has(verb))) return !isStatement(all);
  if (/^(?:re|un|auto|pre)-?\p{L}+/u.test(first) && orders.has(first.replace(/^(?:re|un|auto|pre)-?/, "")))
    return true;
  if (first.endsWith("ing") && (orders.has(first.slice(0, -3)) || orders.has(`${first.slice(0, -3)}e`))) {
    return /^by\s/i.test(text);
  }
  if (germanInfinitive.test(text)) return true;
  return (
    /(?:ar|er|ir|re|ez)(?:lo|la|los|las)?$/.test(first) &&
    romance.test(text) &&
    !/\b(?:the|is|of|to)\b/.test(text)
  );
}

/** "`make lint` is flaky", "`make build` takes ten minutes": what is said of a command or a file. */
export function isAboutIt(phrase: string): boolean {
  const rest = /^[*_\s]*`[^`]+`[,:]?\s+(.*)$/su.exec(phrase)?.[1];
  return rest !== undefined && aboutStart.test(rest);
}

const stateVerbs =
  "is|are|was|were|isn't|aren't|wasn't|has|have|had|does|doesn't|did|didn't|do not|don't|takes?|took|needs? (?!to be (?:run|done|called|executed))|requires?|fails?|failed|works?|worked|breaks?|broke|lives?|contains?|holds?|creates?|writes?|runs?|uses?|checks?|prints?|hangs?|crash(?:es|ed)?|returns?|returned|starts?|stops?|means?|exists?|expects?|gives?|gave|shows?|showed|comes?|can|can't|cannot|could|may|might|will|won't|would|used to|ist|sind|war|waren|hat|haben|braucht|dauert|läuft|schlägt|erzeugt|schreibt|prüft|kann|wird|liegt|enthält|es|está|son|era|fue|tarda|necesita|falla|falló|funciona|crea|genera|contiene|puede|est|sont|était|prend|nécessite|échoue|fonctionne|contient|peut|crée|génère|è|sono|richiede|fallisce|funziona|é|são|precisa|falha";
const aboutStart = new RegExp(
  `^(?:(?:already|only|also|still|always|never|sometimes|no longer|currently|just|nur|auch|immer|ya|solo|no|ne|siempre|déjà)\\s+)*(?:${stateVerbs})(?![\\p{L}\\p{N}])`,
  "iu",
);
const aboutIt =
  /\b(?:is|are|was|were|has|does|fails|takes|needs|requires|works|hangs|breaks|ist|sind|war|está|est|sont)\b/i;

/** "In src/log.ts, use it" and "docs: mention it" say first where. */
function withoutPlace(text: string): string {
  const label = /^[`*]*[\p{L}\p{N}_./@ -]{1,40}[`*]*:\s+(?=\S)/u.exec(text)?.[0];
  if (label !== undefined) return text.slice(label.length);
  const place =
    /^(?:in|for|under|within|inside|on|at|im|unter|für|auf|en|dans|sous|para)\s+(?:the |der |dem |el |la |le )?[`"']?([\w./@-]+)[`"']?(?: (?:file|folder|datei|ordner))?[,:]?\s+/i.exec(
      text,
    );
  if (place !== null && (looksLikePath(place[1]!) || /[,:]\s+$/.test(place[0])))
    return text.slice(place[0].length);
  return text;
}

/** "Build is red", "test fails": a verb's form at the beginning that is a noun. */
function isStatement(all: readonly string[]): boolean {
  return /^(?:is|are|was|were|has|had|does|did|fails?|failed|works?|worked|breaks|broke|takes|happens|hangs|crashes|times)$/.test(
    all[1] ?? "",
  );
}

/** Whether the phrase tells what somebody or something did or does. */
export function isTold(phrase: string): boolean {
  const text = phrase.trim().replace(/^[*_>\s"'“]+/, "");
  if (isOrder(text)) return false;
  if (isAboutIt(text)) return true;
  return /^(?:(?:and|then|first|next|finally|but|und|dann|danach|zuerst|schließlich|luego|después|primero|puis|ensuite|d'abord|enfin)\s+)?(?:i|we|he|she|they|it|this|that|there|these|those|the|a|an|our|my|its|your|only|nothing|since|ich|wir|er|sie|es|das|die|der|ein|eine|nur|seit|wenn|habe|hat|haben|bin|ist|war|wurde|él|ella|el|la|los|las|un|una|solo|he|hemos|hay|je|j'ai|nous|il|elle|le|les|une?|seulement|depuis)(?:\s|')/iu.test(
    text,
  );
}

function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
