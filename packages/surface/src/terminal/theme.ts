/** What pi-tui's parts look like: our own few colours, or none where none are wanted. */
import type { EditorTheme, MarkdownTheme } from "@earendil-works/pi-tui";
import type { Paint } from "@bridle/operation";

/** Before the lines that pi-tui's editor draws above and below itself, so that they can be told from typed ones. */
export const borderMark = "\u0000";

export function editorTheme(paint: Paint): EditorTheme {
  return {
    borderColor: (text) => `${borderMark}${text}`,
    selectList: {
      selectedPrefix: paint.strong,
      selectedText: paint.strong,
      description: paint.dim,
      scrollInfo: paint.dim,
      noMatch: paint.dim,
    },
  };
}

export function markdownTheme(paint: Paint, colour: boolean): MarkdownTheme {
  const code = (on: number, off: number) =>
    colour ? (text: string) => `\u001b[${on}m${text}\u001b[${off}m` : (text: string) => text;
  const asIs = (text: string) => text;
  return {
    heading: paint.strong,
    link: asIs,
    linkUrl: paint.dim,
    code: code(36, 39),
    codeBlock: asIs,
    codeBlockBorder: paint.dim,
    quote: asIs,
    quoteBorder: paint.dim,
    hr: paint.dim,
    listBullet: paint.dim,
    bold: paint.strong,
    italic: code(3, 23),
    strikethrough: code(9, 29),
    underline: code(4, 24),
  };
}
