/**
 * Just enough of a lexer to tell code from the text inside it.
 *
 * Comments, and the content of strings, templates and regular expressions,
 * become spaces, and everything else keeps its place, so that line numbers and
 * offsets of the result are those of the source. Code inside `${…}` stays code.
 */
export function blankText(source) {
  let out = "";
  let i = 0;
  const braces = [];
  const keep = (count = 1) => {
    out += source.slice(i, i + count);
    i += count;
  };
  const blank = (end) => {
    out += source.slice(i, end).replace(/[^\n]/g, " ");
    i = end;
  };
  while (i < source.length) {
    const two = source.slice(i, i + 2);
    const char = source[i];
    if (two === "//") blank(endOf(source, "\n", i));
    else if (two === "/*") blank(endOf(source, "*/", i + 2) + 2);
    else if (char === '"' || char === "'") {
      keep();
      blank(endOfString(source, i, char));
      keep();
    } else if (char === "`") {
      keep();
      template();
    } else if (char === "/" && startsRegExp(out)) {
      keep();
      blank(endOfRegExp(source, i));
      keep();
    } else if (char === "{") {
      braces.push("{");
      keep();
    } else if (char === "}") {
      const opened = braces.pop();
      keep();
      if (opened === "${") template();
    } else keep();
  }
  return out;

  /** From inside a template to its end, or to the code that it holds. */
  function template() {
    let end = i;
    while (end < source.length && source[end] !== "`" && !source.startsWith("${", end)) {
      end += source[end] === "\\" ? 2 : 1;
    }
    blank(Math.min(end, source.length));
    if (source[i] === "`") return keep();
    braces.push("${");
    keep(2);
  }
}

function endOf(source, mark, from) {
  const at = source.indexOf(mark, from);
  return at === -1 ? source.length : at;
}

function endOfString(source, from, quote) {
  let end = from;
  while (end < source.length && source[end] !== quote && source[end] !== "\n")
    end += source[end] === "\\" ? 2 : 1;
  return Math.min(end, source.length);
}

function endOfRegExp(source, from) {
  let end = from;
  let inClass = false;
  while (end < source.length && source[end] !== "\n" && (inClass || source[end] !== "/")) {
    if (source[end] === "[") inClass = true;
    else if (source[end] === "]") inClass = false;
    end += source[end] === "\\" ? 2 : 1;
  }
  return Math.min(end, source.length);
}

/** A slash divides after a value, and begins a regular expression elsewhere. */
function startsRegExp(before) {
  const text = before.trimEnd();
  if (text === "" || /[([{,;:=!&|?+\-*%~^<>}]$/.test(text)) return true;
  return /\b(?:return|typeof|case|of|in|do|else|await|yield)$/.test(text);
}
