/**
 * R-MEMORY-FIRST-IDENTITY: asked who the user is, the answer gives the account's
 * name and memory was never asked.
 *
 * What a newcomer gets wrong: a login can be an ordinary word (`will`, `mark`), and
 * "who am I logged in as" is a question about the machine.
 */
import { textArg } from "../reading/args.js";
import { isSmallWord, plain } from "../reading/stems.js";
import type { Detector } from "../types.js";

export const memoryFirstIdentity: Detector = {
  begin({ text, osUser }) {
    const ask = plain(text);
    if (!asksWho(ask) || asksAccount(ask)) return {};
    const logins = new Set(osUser === undefined ? [] : [osUser]);
    let remembered = false;
    return {
      ran({ tool, args }, { ok, output }) {
        if (/^(?:memory_|recall)|_memory$|^search_memor/.test(tool)) remembered = true;
        const command = tool === "run_shell" ? (textArg(args, "command") ?? "") : "";
        const shown = /^(?:exit=0\s+)?([\w.-]+)\s*$/.exec(output)?.[1];
        if (
          ok &&
          shown !== undefined &&
          /^\s*(?:whoami|logname|id -un|echo "?\$\{?(?:USER|LOGNAME)\}?"?)\s*$/.test(command)
        )
          logins.add(shown);
        return undefined;
      },
      answered(answer) {
        if (remembered) return undefined;
        const named = [...logins].find((login) => !holds(ask, plain(login)) && names(answer, login));
        if (named === undefined) return undefined;
        return {
          what: `Asked who the user is, the answer gives the account's name, ${named}, and memory was not asked.`,
          remedy:
            "Ask memory_query or recall_relevant first; if it knows nothing, say that the account is called so.",
        };
      },
    };
  },
};

// --- The question ----------------------------------------------------------------------------------

const who = [
  String.raw`who (?:am i|i am)(?!\s+(?:talking|speaking|chatting|logged|running|signed|dealing|working|meeting|waiting|to\b|as\b|with\b|on\b|in\b|writing|supposed|allowed|kidding|up against|calling|connected))`,
  String.raw`(?:what'?s|what is|what was|whats) my (?:(?:own|full|first|last|real|actual|given|sur|family|middle|nick) ?)*name\b(?! ?(?:server|space|tag|field|column|record|badge|in the (?:file|config|db|database)))`,
  String.raw`(?:know|remember|recall|guess|forg[eo]t(?:ten)?|remind me(?: of)?|tell me|say|give me|spell) (?:what )?my (?:\w+ )?name\b(?! (?:is|to|in|server|on the))`,
  String.raw`my name\b[^.]*\b(?:remember|know|recall|guess)\b|\b(?:remember|know|recall|guess)\b[^.]*\bwhat my (?:\w+ )?name is`,
  String.raw`what am i called|what(?:'s| is| do| did| does| should| would| can)? (?:do )?(?:you|people|they|friends|everyone|everybody) call me|which name do i|what name do i|under what name do you know me`,
  String.raw`(?:who|whom) are you (?:talking|speaking|chatting) (?:to|with)|who is (?:talking|speaking|typing|writing) to you|do you (?:know|remember|recogni[sz]e) me\b|who (?:do you think )?(?:is|owns) (?:the user|your user)|who is (?:this|the) user`,
  String.raw`wie heiss(?:e|') ich|wie (?:ist|war|lautet) (?:\w+ )?mein (?:\w+ )?(?:vor|nach|familien)?name|wer (?:bin ich|ich bin)(?! (?:angemeldet|eingeloggt))|wie ich heisse|kenn(?:st|en) (?:du|sie) (?:mich|meinen namen)|mein(?:en)? (?:vor|nach)?namen? (?:noch|kenn\w+|weiss\w*)|wie nennt man mich|weisst du (?:noch )?meinen namen|mit wem (?:sprichst|redest) du|sag mir meinen namen|erinnerst du dich an (?:mich|meinen namen)`,
  String.raw`como me llamo|cual es mi (?:\w+ )?nombre|quien soy(?: yo)?\b(?! (?:conectado|en el sistema))|(?:sabes|recuerdas|conoces|dime|adivina|di) (?:cual es )?mi nombre|me (?:conoces|recuerdas|reconoces)|con quien (?:estas hablando|hablas)`,
  String.raw`comment (?:est-ce que )?je m'appelle|je m'appelle comment|comment m'appell?e-je|c'est quoi mon (?:\w+ )?(?:pre)?nom|quel est mon (?:\w+ )?(?:pre)?nom|qui suis[- ]je|je suis qui|qui je suis|(?:connais|rappelles?|sais|souviens|dis|dis-moi|devine)(?:[- ]\w+)?(?: de)? mon (?:pre)?nom|tu me (?:connais|reconnais)|a qui (?:parles-tu|tu parles)`,
  String.raw`come mi chiamo|chi sono(?: io)?\b|qual e il mio nome|quem (?:sou eu|eu sou)|como (?:e que )?(?:eu )?me chamo|qual e o meu nome|wie ben ik|hoe heet ik|wat is mijn naam|vad heter jag|vem ar jag|hvad hedder jeg|hva heter jeg|jak mam na imie|jak sie nazywam|kim jestem`,
];
const asking = new RegExp(`(?<![\\p{L}])(?:${who.join("|")})`, "u");
const askingUnspaced =
  /(?:私|僕|俺|わたし|ぼく|自分|あたし)(?:の(?:お)?名前|は(?:誰|だれ)|が(?:誰|だれ)|って(?:誰|だれ))|名前を覚えて|我(?:是谁|是誰|叫什么|叫什麼|的名字)|(?:내|제|나의) 이름|(?:나는|난|내가|제가) (?:누구|누군)|как меня зовут|кто я(?![\p{L}])|мо[её] имя/u;

function asksWho(ask: string): boolean {
  return asking.test(ask) || askingUnspaced.test(ask);
}

function asksAccount(ask: string): boolean {
  const account =
    /(?<![\p{L}])(?:accounts?|user ?names?|user-names?|user ?ids?|uid|log-?in|logged|whoami|unix|linux|posix|system user|os user|shell|terminal|hostname|git config|github|gitlab|benutzer\w*|konto|kennung|anmeldename|nutzername|compte|identifiant|utilisateur|session|cuenta|usuario|sistema|conto|utente)(?![\p{L}])|(?:on|of) this (?:machine|box|computer|host|server|system)|auf diese[mr] (?:rechner|maschine|computer|system)|sur cette machine|en esta maquina|ユーザー名|ユーザ名|アカウント|ログイン|用户名|账号|帐号|登录/u;
  const found = account.exec(ask);
  if (found === null) return false;
  // "Not the account, the person."
  return !/(?:not|nicht|kein\w*|pas|no|without|besides|apart from|ohne|ではなく)\s+(?:just |only )?(?:the |my |by the |das |den |le |el |la |mein\w* )?$/u.test(
    ask.slice(0, found.index),
  );
}

// --- The name ---------------------------------------------------------------------------------------

const calling = String.raw`(?:you are|you're|you must be|you might be|you seem to be|that makes you|name is|name'?s|named|called|call you|known as|it's|it is|account(?: name)?(?: is| called)?|user(?: ?name)?(?: is)?|logged in as|hello|hi|hey|dear|welcome(?: back)?|good (?:morning|evening|day)|hallo|guten (?:tag|morgen|abend)|du bist|sie sind|du heisst|sie heissen|heisst du|heissen sie|name (?:ist|lautet)|konto(?: heisst)?|eres|usted es|te llamas|se llama|nombre es|hola|buenos dias|tu es|vous etes|t'appelles|vous appelez|nom est|prenom est|bonjour|salut|ti chiami|sei|ciao|voce e|seu nome e|je bent|je heet|du heter|du ar|名前は|あなたは|こんにちは)`;

/** Japanese and Chinese put their words right beside a name. */
const letters = String.raw`\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek}`;

function names(answer: string, login: string): boolean {
  const text = plain(answer);
  const name = plain(login);
  const spoken = name.replace(/[._\-\d]+/g, " ").trim();
  if (isOrdinary(name))
    return isCalled(text, name) || standsAlone(text, name) || isCapitalised(answer, login);
  if (holds(text, name)) return true;
  if (spoken.includes(" ") && holds(text, spoken)) return true;
  // `fkrause` as F. Krause, or by the surname.
  const [first = "", rest = ""] = [name.slice(0, 1), name.slice(1)];
  if (new RegExp(`(?<![\\p{L}\\p{N}])${first}\\.?\\s+${escaped(rest)}(?![\\p{L}\\p{N}])`, "u").test(text))
    return true;
  return rest.length >= 4 && !isOrdinary(rest) && isCalled(text, `(?:\\w+ )?${escaped(rest)}`, true);
}

/** As a word of its own, not within a path or an address. */
function holds(text: string, name: string): boolean {
  return new RegExp(
    `(?<![${letters}\\p{N}_/\\\\.@-])${escaped(name)}(?![${letters}\\p{N}_/\\\\@]|-[${letters}\\p{N}]|\\.[${letters}\\p{N}])`,
    "u",
  ).test(text);
}

function isCalled(text: string, name: string, isPattern = false): boolean {
  return new RegExp(
    `${calling}[\\s,:*\`"'“„«(]*${isPattern ? name : escaped(name)}(?![${letters}\\p{N}_/])`,
    "u",
  ).test(text);
}

/** The answer, or its first sentence, is the name alone; or it is set off as one. */
function standsAlone(text: string, name: string): boolean {
  return new RegExp(`^\\W*${escaped(name)}\\W*(?:$|[.!,;\\n])|[\`*"“„«]${escaped(name)}[\`*"”“»]`, "u").test(
    text,
  );
}

function isCapitalised(answer: string, login: string): boolean {
  const capital = `${login.slice(0, 1).toUpperCase()}${login.slice(1).toLowerCase()}`;
  return new RegExp(`(?<=[\\p{Ll},:] )${escaped(capital)}(?![\\p{L}\\p{N}])`, "u").test(answer);
}

const ordinary = new Set(
  "will mark bill rob may june april august grace hope faith joy rose art jack grant chase max pat sue drew dean guy miles frank don ray sky summer wade clay cliff reed dale glen heath rich bob nick lance gene carol dawn ivy holly iris jade ruby pearl amber angel christian penny robin sandy victor dot admin administrator user root guest test tester dev me you home name host system default ubuntu debian node app web service build builder runner deploy agent demo sam case page price young king long short brown green white black ernst wolf klein gross lang kurz sol luz rosa flor mar luna pierre marine fleur clement noel mike jean do so be to as it an or if is a the".split(
    " ",
  ),
);

function isOrdinary(name: string): boolean {
  return ordinary.has(name) || name.length < 3 || isSmallWord(name);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
