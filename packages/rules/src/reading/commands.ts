/**
 * Commands in what a user writes, without quotes around them.
 *
 * What a newcomer gets wrong: many programs are also words. "make sure", "go to" and
 * "node 20" run nothing.
 */
const programs =
  /^(?:npm|pnpm|yarn|bun|npx|node|nvm|python3?|pip3?|uv|poetry|make|cargo|rustup|go|git|docker|docker-compose|podman|kubectl|helm|terraform|psql|createdb|dropdb|mysql|sqlite3|bundle|gem|rails|rake|composer|php|mvn|gradle|dotnet|swift|flutter|dart|brew|apt|apt-get|sudo|systemctl|source|export|mkdir|cp|mv|rm|chmod|touch|curl|wget|sqlx|alembic|flask|django-admin|mix|conda|just|task|bazel|cmake|ansible-playbook|direnv|mise|asdf|corepack)$/;
/** Programs whose names are words of English too. */
const wordsToo = /^(?:go|make|just|task|source|export|touch|swift|flask|mix|helm|dart|flutter|bundle|gem)$/;
/** Named with a number they are a version that is needed, not a command. */
const versioned =
  /^(?:node|npm|python3?|pip3?|php|go|swift|docker|git|cargo|terraform|dotnet|yarn|pnpm|bun|flutter|dart|gradle|mvn|psql|mysql|cmake|helm|kubectl|poetry|uv)$/;

export function looksLikeProgram(word: string): boolean {
  return (
    programs.test(word) ||
    /^\.{0,2}\/?[\w.-]+\/[\w./-]+$/.test(word) ||
    /\.(?:sh|py|js|mjs|rb|pl|ps1)$/.test(word)
  );
}

/** The words of a command that the text begins with; undefined where it begins with none. */
export function plainCommand(text: string): string[] | undefined {
  // A path with what to do to it is prose: no command has such letters behind its program.
  if (/^\S*[/.]\S*\s+\P{ASCII}/u.test(text.trim())) return undefined;
  const words = text.trim().split(/\s+/);
  const first = words[0]?.replace(/[.,;:]+$/, "") ?? "";
  const second = words[1] ?? "";
  if (!looksLikeProgram(first) || isProse(words)) return undefined;
  if (wordsToo.test(first) && !/^[a-z.-]+[a-z0-9:./-]*$/.test(second)) return undefined;
  if (
    versioned.test(first) &&
    /^(?:v?\d|[<>=~^≥]|version\b|or\b|and\b|und\b|oder\b|is\b|ist\b)/i.test(second)
  )
    return undefined;
  return belonging(words);
}

/** "make sure", "go to", "task one": English, no command. */
function isProse(words: readonly string[]): boolean {
  return /^(?:make|go|just|task|export|touch|source|swift|helm|mix|bundle) (?:sure|a|an|the|it|them|to|through|over|ahead|that|this|your|my|our|all|up|back|run|use|in|is|are|was|has|and|or|on|with)\b/i.test(
    words.slice(0, 2).join(" "),
  );
}

/** Of a sentence that begins with a command, what still belongs to it. */
function belonging(words: readonly string[]): string[] {
  const taken: string[] = [];
  for (const word of words) {
    if (
      /^(?:and|then|to|so|which|in|because|for|from|und|dann|um|y|para|et|pour|first|again|once|aus|auf|im|ausführen|laufen|starten|with|mit|con|avec|\(.*)$/i.test(
        word,
      )
    )
      break;
    taken.push(word.replace(/[.,;:]+$/, ""));
    if (/[.,;]$/.test(word)) break;
  }
  return taken;
}
