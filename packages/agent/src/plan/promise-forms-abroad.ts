/**
 * The forms of words that rule something out, in languages other than English.
 *
 * What a newcomer gets wrong: where the thing stands differs. "Do not touch X" has it
 * behind the verb; German infinitives, Japanese and Korean have it in front.
 */
import { changes, form } from "./promise-form.js";
import type { Form } from "./promise-forms.js";
import { eastAsian, northAndEast } from "./promise-forms-far.js";

const german: readonly Form[] = [
  form(
    "ohne(?=.*(?<!\\p{L})(?:anzufassen|anzurühren|anzutasten|zu (?:ändern|verändern|bearbeiten|berühren|überschreiben|modifizieren)))",
    changes,
    "after",
  ),
  form("ohne(?=.*(?<!\\p{L})zu (?:löschen|entfernen))", ["delete"], "after"),
  form(
    "(?:nicht|nie|niemals|nichts)(?: \\p{L}+)? (?:an(?:ge)?(?:fassen|fasst|rühren|rührt|tasten|tastet|packen)|(?:ver)?ändern|geändert|verändert|bearbeiten|bearbeitet|überschreiben|überschrieben|modifizieren|modifiziert|berühren|berührt|anpassen|angepasst)",
    changes,
    "before",
  ),
  form(
    "(?:fass|fasse|fasst|rühr|rühre|änder|ändere|verändere|bearbeite|überschreib|überschreibe|modifiziere|pack|(?:fassen|rühren|ändern|bearbeiten|verändern|überschreiben) Sie)(?= .*(?<!\\p{L})(?:nicht|nie|niemals|nichts)(?!\\p{L}))",
    changes,
    "after",
  ),
  form("(?:Finger|Hände) weg von|(?:Bleib|Halte dich) (?:von|fern von)", changes, "after"),
  form(
    "(?:lass|lasse|lasst|lassen Sie)(?= .*(?<!\\p{L})(?:in Ruhe|wie (?:es|er|sie) ist|wie sie sind|unverändert|unberührt|unangetastet|so|liegen|stehen)(?!\\p{L}))",
    changes,
    "after",
  ),
  form(
    "(?:bleibt|bleiben|soll|sollen|muss|müssen)(?= )[^,]*(?<!\\p{L})(?:wie (?:es|er|sie) ist|wie sie sind|unverändert|unberührt|unangetastet|so)",
    changes,
    "before",
  ),
  form("(?:ist|sind) (?:tabu|gesperrt|schreibgeschützt)", changes, "before"),
  form(
    "nur lesen|(?<!(?<!\\p{L})an [^.;!?]{1,60})nichts (?:ver)?ändern|ändere? (?:bitte )?nichts|keine Änderungen(?! (?:an|in|unter|außerhalb))",
    changes,
    "none",
  ),
  form("keine Änderungen (?:an|in|unter)", changes, "after"),
  form(
    "nichts (?:löschen|entfernen)|keine (?:Dateien löschen|Löschungen)|(?:lösche?|löschen Sie|entferne) (?:bitte )?(?:nichts|keine)",
    ["delete"],
    "none",
  ),
  form("(?:nicht|nie|niemals) (?:löschen|entfernen|gelöscht|entfernt)", ["delete"], "before"),
  form("(?:lösche?|entferne)(?= .*(?<!\\p{L})(?:nicht|nie|niemals)(?!\\p{L}))", ["delete"], "after"),
  form(
    "(?:nicht|nichts|nie|niemals) pushen|pushe?n? (?:bitte |noch )?(?:nicht|nichts|nie|niemals)|kein(?:en)? Push|(?:ich )?pushe (?:ich )?(?:das |es )?selbst",
    ["push"],
    "none",
  ),
  form(
    "(?:nicht|nichts|nie|niemals) (?:committen|einchecken)|committe? (?:bitte |noch )?(?:nicht|nichts)|keine? Commits?",
    ["commit"],
    "none",
  ),
  form(
    "(?:nicht|nichts|nie|niemals) (?:deployen|ausrollen)|kein(?:en)? (?:Deploy(?:ment)?|Rollout)",
    ["deploy"],
    "none",
  ),
  form(
    "(?:keine|ohne) (?:neuen?|weiteren?|zusätzlichen?) (?:Abhängigkeit(?:en)?|Pakete?|Bibliothek(?:en)?)|(?:nichts|keine Pakete) installieren|installiere? (?:bitte )?(?:nichts|keine)",
    ["install"],
    "none",
  ),
  form("keine neuen Dateien", ["create"], "none"),
  form(
    "(?:kein|ohne) (?:Netz(?:werk)?|Internet)(?:zugriff)?|offline (?:bleiben|arbeiten)|bleib offline",
    ["network"],
    "none",
  ),
];

const french: readonly Form[] = [
  form(
    "(?:(?:ne |n['’])?(?:touche[zr]?|modifie[zr]?|change[zr]?|édite[zr]?|écrase[zr]?|altère[zr]?) (?:surtout )?(?:pas|jamais|rien|(?:à )?aucune?)|ne (?:pas|jamais|rien|surtout pas) (?:toucher|modifier|changer|éditer|écraser|altérer)|sans (?:rien )?(?:toucher|modifier|changer))(?: (?:à|aux?|dans))?",
    changes,
    "after",
  ),
  form(
    "ne (?:touche[zr]?|modifie[zr]?|change[zr]?) (?:à )?rien|ne rien (?:toucher|modifier|changer)|sans rien (?:toucher|modifier|changer)|aucune modification(?! (?:dans|de|à))|lecture seule",
    changes,
    "bareEnd",
  ),
  form(
    "ne (?:doit|doivent|peut|peuvent) (?:pas|jamais) (?:être )?(?:modifiée?s?|changée?s?|touchée?s?|éditée?s?|changer)|(?:(?:doit|doivent) rester|restent?) (?:inchangée?s?|intacte?s?|tel(?:le)?s? quel(?:le)?s?|en l['’]état)",
    changes,
    "before",
  ),
  form(
    "(?:laisse[zr]?|garde[zr]?|conserve[zr]?)(?= .*(?:tel(?:le)?s? quel|intact|en l['’]état|tranquille|inchangé|comme (?:il|elle)))",
    changes,
    "after",
  ),
  form(
    "(?:ne |n['’])?(?:supprime[zr]?|efface[zr]?|retire[zr]?) (?:pas|jamais)|ne (?:pas|jamais) (?:supprimer|effacer)|sans (?:supprimer|effacer)",
    ["delete"],
    "after",
  ),
  form(
    "ne (?:supprime[zr]?|efface[zr]?) (?:rien|aucun fichier)|ne rien (?:supprimer|effacer)|sans rien supprimer|(?:aucune|pas de) suppressions?",
    ["delete"],
    "none",
  ),
  form(
    "ne (?:pousse[zr]?|push(?:e[zr]?)?) (?:pas|jamais|rien)|ne (?:pas|rien|jamais) (?:pousser|pusher)|(?:pas de|aucun) push|sans (?:push(?:er)?|pousser)",
    ["push"],
    "none",
  ),
  form(
    "ne commit(?:t?e[zr]?)? (?:pas|rien)|ne (?:pas|rien) commit(?:t?er)|(?:pas de|aucun) commits?|sans commit(?:t?er)?",
    ["commit"],
    "none",
  ),
  form("ne déploie[zr]? (?:pas|rien)|ne pas déployer|(?:pas de|aucun) déploiement", ["deploy"], "none"),
  form(
    "(?:pas de|sans|aucune) nouvelles? (?:dépendances?|bibliothèques?)|n['’]installe[zr]? (?:rien|aucune?)|n['’]ajoute[zr]? (?:pas de|aucune) (?:nouvelle )?(?:dépendance|bibliothèque)s?",
    ["install"],
    "none",
  ),
];

const spanish: readonly Form[] = [
  form(
    "(?:no|nunca|jamás) (?:toques?|tocar|toquen|modifiques?|modificar|cambies?|cambiar|edites?|editar|alteres?|alterar|sobrescribas?|reescribas?)|sin (?:tocar|modificar|cambiar|editar|alterar)",
    changes,
    "after",
  ),
  form(
    "no (?:se )?(?:debe|deben|puede|pueden) (?:ser )?(?:tocar|modificar|cambiar|editar|tocad\\p{L}+|modificad\\p{L}+|cambiad\\p{L}+|modificarse|tocarse|cambiarse)|no se (?:toca|tocan|modifica|modifican|cambia|cambian)|(?:debe|deben) (?:quedar|permanecer|seguir)\\p{L}* (?:igual|intact\\p{L}+|como está\\p{L}*|sin cambios)|(?:queda|quedan|permanece|permanecen) (?:intact\\p{L}+|como está\\p{L}*|sin cambios|igual)",
    changes,
    "before",
  ),
  form(
    "(?:deja|deje|dejen|dejar|mantén|mantenga|conserva)(?= .*(?:como está|intact|sin (?:tocar|cambios|modificar)|en paz|tal cual|igual))",
    changes,
    "after",
  ),
  form(
    "(?:no|nunca) (?:borres?|borrar|elimines?|eliminar|quites)|sin (?:borrar|eliminar)",
    ["delete"],
    "after",
  ),
  form(
    "(?:no|nunca) (?:hagas?|hacer) (?:el |un |ningún )?push|no (?:subas?|pushees) (?:nada|(?:los )?cambios)|sin (?:hacer )?push",
    ["push"],
    "none",
  ),
  form(
    "(?:no|nunca) (?:hagas?|hacer) (?:el |un |ningún )?commits?|sin (?:hacer )?commits?",
    ["commit"],
    "none",
  ),
  form("no (?:despliegues?|desplegar)(?: nada)?|sin desplegar", ["deploy"], "none"),
  form(
    "sin (?:nuevas|más) (?:dependencias|librerías|bibliotecas)|sin (?:dependencias|librerías|paquetes) nuev\\p{L}+|ninguna (?:nueva )?dependencia(?: nueva)?|no (?:añadas?|agregues?|instales?|instalar) (?:nada|(?:nuevas |más |ninguna |ningún )?(?:dependencias?|paquetes?|librerías?|bibliotecas?))",
    ["install"],
    "none",
  ),
];

const italian: readonly Form[] = [
  form(
    "non (?:toccare|toccate|modificare|modificate|cambiare|cambiate|alterare|sovrascrivere)|senza (?:toccare|modificare|cambiare|alterare)",
    changes,
    "after",
  ),
  form(
    "non (?:va|vanno|deve|devono|può|possono) (?:essere )?(?:toccat\\p{L}+|modificat\\p{L}+|cambiat\\p{L}+|cambiare)|(?:(?:deve|devono) (?:restare|rimanere)|restano?|rimane|rimangono) (?:invariat\\p{L}+|intatt\\p{L}+|com['’]è|così)",
    changes,
    "before",
  ),
  form("lascia(?:te)?(?= .*(?:com['’]è|così|intatt|stare|in pace|invariat))", changes, "after"),
  form("non (?:cancellare|eliminare|rimuovere)|senza (?:cancellare|eliminare)", ["delete"], "after"),
  form("non (?:fare|fate) (?:il )?push|non pushare|niente push|senza push", ["push"], "none"),
  form("non (?:fare|fate) (?:il )?commit|non committare|niente commit|senza commit", ["commit"], "none"),
  form(
    "(?:nessuna nuova|niente nuove|senza nuove) (?:dipendenz\\p{L}|librerie?)|non (?:installare|aggiungere) (?:nulla|niente|(?:nuove )?(?:dipendenze|librerie|pacchetti))",
    ["install"],
    "none",
  ),
];

const portuguese: readonly Form[] = [
  form(
    "(?:(?:não|nunca) (?:toques?|tocar|altere|alterar|modifique|modificar|mude|mudar|edite|editar|mexa|mexer|sobrescreva)|sem (?:tocar|alterar|modificar|mudar|mexer|editar))(?: (?:em|no|na|nos|nas))?",
    changes,
    "after",
  ),
  form(
    "não (?:pode|podem|deve|devem) (?:ser )?(?:alterad\\p{L}+|modificad\\p{L}+|mudad\\p{L}+|tocad\\p{L}+|mudar)|(?:(?:deve|devem) (?:ficar|permanecer|continuar)|ficam?) (?:como está\\p{L}*|intact\\p{L}+|intocad\\p{L}+|inalterad\\p{L}+)",
    changes,
    "before",
  ),
  form(
    "(?:deixe|deixa|mantenha|mantém)(?= .*(?:como está|intact|intocad|inalterad|em paz))",
    changes,
    "after",
  ),
  form(
    "(?:não|nunca) (?:apague|apagar|exclua|excluir|deletar|remova|remover|elimine)|sem (?:apagar|excluir|remover|deletar)",
    ["delete"],
    "after",
  ),
  form("não (?:faça|fazer|dê) (?:o |um )?push|sem (?:fazer |dar )?push", ["push"], "none"),
  form("não (?:faça|fazer|dê) (?:o |um )?commits?|sem (?:fazer )?commits?", ["commit"], "none"),
  form(
    "sem (?:novas|mais) (?:dependências|bibliotecas)|não (?:instale|adicione|instalar|adicionar) (?:nada|novas|nenhuma|dependências|pacotes|bibliotecas)",
    ["install"],
    "none",
  ),
];

export const formsAbroad: readonly Form[] = [
  ...german,
  ...french,
  ...spanish,
  ...italian,
  ...portuguese,
  ...northAndEast,
  ...eastAsian,
];

/** "Only change X", where everything else is protected; the thing follows. */
export const withinAbroad =
  /(?<!\p{L})(?:(?:ändere?|bearbeite|fass|ändern Sie) (?:bitte )?(?:nur|ausschließlich)|nur(?= \S*[./]\S* (?:ändern|anfassen|bearbeiten))|ne (?:modifie[zr]?|touche[zr]?|change[zr]?) (?:à )?que|(?:modifie[zr]?|change[zr]?|touche[zr]?) (?:uniquement|seulement)|(?:cambia|modifica|toca|edita|cambie|modifique) (?:solo|sólo|únicamente|solamente)|(?:solo|sólo|únicamente|solamente) (?:cambia|modifica|toca|edita|cambies|modifiques|toques)|(?:modifica|cambia|tocca) (?:solo|soltanto)|(?:altere|modifique|mude) (?:apenas|somente|só)|(?:apenas|somente|só) (?:altere|modifique|mude)|(?:wijzig|verander|bewerk) alleen)(?!\p{L})|(?:只|仅)(?:能|可以|允许|需)?(?:修改|改动|改|动|编辑)/iu;
