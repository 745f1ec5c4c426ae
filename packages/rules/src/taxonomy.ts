/**
 * What kind of error a tool's text tells of, and what usually helps. The first
 * kind that fits is taken, so the order of the table is part of it.
 *
 * What a newcomer gets wrong: each error is judged by itself. Judged together, a
 * missing file would hide the timeout beside it.
 */

export interface ErrorKind {
  readonly category: string;
  readonly what: string;
  readonly fix: string;
}

const kinds: readonly (ErrorKind & { readonly fits: RegExp })[] = [
  {
    category: "PATH_NOT_FOUND",
    what: "A path is not there.",
    fix: "List the nearest folder that exists and take the path from there.",
    fits: /\bENOENT\b|\bENOTDIR\b|\bfile_missing\b|no such file|\b(?:file|path|folder|directory)\b.{0,80}(?:not found|does not exist|is not there)/i,
  },
  {
    category: "PERMISSION_DENIED",
    what: "It is not allowed.",
    fix: "Stay inside the workspace, or ask the user; do not look for a way round.",
    fits: /\bEACCES\b|\bEPERM\b|\bEROFS\b|permission denied|operation not permitted|outside the workspace|\bpath_\w+|access (?:is )?denied/i,
  },
  {
    category: "HTTP_CLIENT_ERROR",
    what: "The server refused the request.",
    fix: "Check the address and what it asks for (401, 403: a login; 404: another address; 429: later).",
    fits: /\bHTTP(?:\/\d(?:\.\d)?)?[ :]+4\d\d\b|\bstatus(?: code)?[ :=]+4\d\d\b|\b4\d\d (?:bad request|unauthorized|forbidden|not found|too many requests)/i,
  },
  {
    category: "HTTP_SERVER_ERROR",
    what: "The server itself failed.",
    fix: "Try once more later, or take another source.",
    fits: /\bHTTP(?:\/\d(?:\.\d)?)?[ :]+5\d\d\b|\bstatus(?: code)?[ :=]+5\d\d\b|\b5\d\d (?:internal server error|bad gateway|service unavailable|gateway timeout)/i,
  },
  {
    category: "JSON_PARSE_ERROR",
    what: "Something that should be JSON is not.",
    fix: "Write the arguments as one whole JSON object, with quotes and line breaks escaped.",
    fits: /\bjson_invalid\b|JSON\.parse|unexpected (?:token|end of JSON)|(?:is|are) not JSON|invalid JSON/i,
  },
  {
    category: "ARG_SCHEMA_MISMATCH",
    what: "The arguments do not fit the tool.",
    fix: "Read the tool's parameters and send exactly those, with their types.",
    fits: /\binput_invalid\b|\bargs?_invalid\b|\barguments_\w+|missing (?:required )?(?:argument|parameter|property)|required property|does not fit the (?:tool|schema)|unknown (?:argument|parameter|property)|schema/i,
  },
  {
    category: "STREAM_INTERRUPTED",
    what: "The output was cut off before its end.",
    fix: "Go on from the last whole piece, with smaller pieces.",
    fits: /cut off|truncated|stream (?:was )?(?:interrupted|closed|ended)|premature close|\bECONNABORTED\b/i,
  },
  {
    category: "TIMEOUT",
    what: "It took longer than it may.",
    fix: "Ask for less at a time, or start it in the background and look later.",
    fits: /\bETIMEDOUT\b|timed? ?out|took (?:too long|longer)|deadline exceeded/i,
  },
  {
    category: "RESOURCE_LOCK",
    what: "Somebody else holds it.",
    fix: "Do other work and come back to it; do not remove the lock.",
    fits: /\block_\w+|\bEBUSY\b|\bETXTBSY\b|\block(?:ed)? (?:is )?(?:held|by)\b|resource (?:is )?busy/i,
  },
  {
    category: "COMMAND_NOT_FOUND",
    what: "There is no such program.",
    fix: "Look for it in the project's own scripts, or use another one that is installed.",
    fits: /command not found|not recognized as an internal|exit(?:ed with)?(?: code)? 127\b|: not found$/im,
  },
  {
    category: "NETWORK_FAILURE",
    what: "The network did not answer.",
    fix: "Try another source once; if that fails too, work with what is here and say so.",
    fits: /\bECONNREFUSED\b|\bECONNRESET\b|\bENOTFOUND\b|\bEAI_AGAIN\b|\bEHOSTUNREACH\b|\bENETUNREACH\b|fetch failed|network (?:error|is unreachable)|socket hang up/i,
  },
  {
    category: "MEMORY_PRESSURE",
    what: "There is no room left, in memory or on the disk.",
    fix: "Work on smaller pieces; tell the user when the disk is full.",
    fits: /out of memory|\bENOMEM\b|\bENOSPC\b|\bdisk_full\b|heap limit|allocation failed/i,
  },
  {
    category: "UNKNOWN_TOOL",
    what: "There is no tool of that name, or it is not active.",
    fix: "Use a tool that is offered, or activate its family first.",
    fits: /\btool_unknown\b|\btool_inactive\b|(?:unknown|no such) tool|no tool (?:has that name|is called|named)|tool\b.{0,60}\bnot active/i,
  },
];

const unknown: ErrorKind = {
  category: "UNKNOWN_ERROR",
  what: "The error is of no known kind.",
  fix: "Read its text word for word before the next call.",
};

/** Longer texts are judged by their beginning. */
const judgedCharsMax = 4_000;

export function kindOfError(text: string): ErrorKind {
  const begin = text.slice(0, judgedCharsMax);
  return kinds.find(({ fits }) => fits.test(begin)) ?? unknown;
}
