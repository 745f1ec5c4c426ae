/**
 * Which document an address leads to. Fragments, a trailing slash, `www.`,
 * tracking and paging do not make it another one.
 *
 * What a newcomer gets wrong: the rest of a query does (`?id=7` is another page
 * than `?id=8`), so it is kept.
 */
const notTheDocument = /^(?:utm_\w+|ref|fbclid|gclid|page|offset|start|char_offset)$/i;

export interface WebDocument {
  readonly key: string;
  /** Without `www.`; empty where the address is none. */
  readonly host: string;
}

export function webDocument(url: string): WebDocument {
  const found = /^\s*(?:https?:)?\/\/([^/?#\s]+)([^?#\s]*)(?:\?([^#\s]*))?(#[!/]\S*)?/i.exec(url);
  if (found === null) return { key: url.trim().replace(/#.*$/, "").toLowerCase(), host: "" };
  const host = (found[1] ?? "").toLowerCase().replace(/^www\./, "");
  const path = (found[2] ?? "").replace(/\/+$/, "");
  const query = (found[3] ?? "").split("&").filter((part) => !notTheDocument.test(part.split("=")[0] ?? ""));
  // `#/docs/x` is an address within an application, not a place on a page.
  return { key: `${host}${path}?${query.join("&")}${found[4] ?? ""}`, host };
}

/** The part of a host that somebody registered, roughly: `en.wikipedia.org` and `de.wikipedia.org` are one site. */
export function siteOf(host: string): string {
  const labels = host.split(".");
  const second = labels.at(-2) ?? "";
  const keep = labels.length > 2 && /^(?:co|com|org|net|gov|ac|edu|go|or|ne)$/.test(second) ? 3 : 2;
  return labels.slice(-keep).join(".");
}

/** Addresses in a text. */
export function urlsIn(text: string): string[] {
  return Array.from(text.matchAll(/https?:\/\/[^\s<>"'`)\]]+/gi), ([url]) => url.replace(/[.,;:!?]+$/, ""));
}
