/** Behind the name of a model that nobody named: why it is this one, and how another is chosen. */
export function defaultWords(defaultOf: string | undefined): string {
  return defaultOf === undefined
    ? ""
    : ` (the default for ${defaultOf}; \`bridle models use\` chooses another)`;
}
