/**
 * Keeps the values of secret variables out of what a command says before it is written anywhere. A value may come in
 * two pieces, so the last bytes are held back until it is known that no secret begins in them.
 */

const secretName = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i;
const valueLengthMin = 8;

/** Values of the environment that must not be seen, longest first. */
export function secretValues(env: Readonly<Record<string, string | undefined>>): string[] {
  const found = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && value.length >= valueLengthMin && secretName.test(name) ? [value] : [],
  );
  return [...new Set(found)].sort((a, b) => b.length - a.length);
}

export class Redactor {
  private held = "";
  private readonly decoder = new TextDecoder();
  private readonly longest: number;

  constructor(private readonly secrets: readonly string[]) {
    this.longest = secrets[0]?.length ?? 0;
  }

  /** What may be written now. */
  push(chunk: Uint8Array): string {
    this.held += this.decoder.decode(chunk, { stream: true });
    const clean = this.clean(this.held);
    const keep = Math.max(0, this.longest - 1);
    const cut = Math.max(0, clean.length - keep);
    this.held = clean.slice(cut);
    return clean.slice(0, cut);
  }

  end(): string {
    const rest = this.clean(this.held + this.decoder.decode());
    this.held = "";
    return rest;
  }

  private clean(text: string): string {
    let clean = text;
    for (const secret of this.secrets) clean = clean.replaceAll(secret, "[secret]");
    return clean;
  }
}
