/**
 * Elements of HTML that do not end like others.
 */

const setOf = (names: string): ReadonlySet<string> => new Set(names.split(" "));

/** They have no end tag. */
export const voids = setOf(
  "area base br col embed hr img input link meta param source track wbr basefont bgsound command frame keygen",
);
/** Their end tag may be left out. */
export const optional = setOf(
  "html head body p li dt dd rt rp rb rtc option optgroup thead tbody tfoot tr td th colgroup caption",
);
/** What stands in them is text up to their end tag. */
export const raw = setOf("script style textarea title xmp iframe noembed noframes plaintext");
