/**
 * Where a person types: pi-tui's editor, with a mark before it and without the
 * lines that pi-tui draws around it.
 */
import type { AutocompleteProvider, Component, Editor, Focusable, TUI } from "@earendil-works/pi-tui";
import type { Paint } from "@bridle/operation";
import type { Pi } from "./pi.js";
import { borderMark, editorTheme } from "./theme.js";

export interface PromptOptions {
  readonly pi: Pi;
  readonly tui: TUI;
  readonly paint: Paint;
  /** Before what is typed. */
  mark(): string;
  onLine(text: string): void;
}

export class Prompt implements Component, Focusable {
  private readonly editor: Editor;

  constructor(private readonly options: PromptOptions) {
    const { pi, tui, paint } = options;
    this.editor = new pi.Editor(tui, editorTheme(paint), { autocompleteMaxVisible: 8 });
    this.editor.onSubmit = (text) => options.onLine(text);
  }

  get focused(): boolean {
    return this.editor.focused;
  }
  set focused(focused: boolean) {
    this.editor.focused = focused;
  }

  /** With what was pasted, of which a long one is shown as a mark. */
  get text(): string {
    return this.editor.getExpandedText();
  }
  set text(text: string) {
    this.editor.setText(text);
  }

  remember(text: string): void {
    this.editor.addToHistory(text);
  }

  complete(provider: AutocompleteProvider): void {
    this.editor.setAutocompleteProvider(provider);
  }

  handleInput(data: string): void {
    this.editor.handleInput(data);
  }

  invalidate(): void {
    this.editor.invalidate();
  }

  render(width: number): string[] {
    const { pi, paint } = this.options;
    const mark = this.options.mark();
    const room = pi.visibleWidth(mark);
    if (width <= room + 10) return this.without(this.editor.render(width), width, "", "");
    return this.without(this.editor.render(width - room), width, paint.strong(mark), " ".repeat(room));
  }

  private without(lines: readonly string[], width: number, first: string, others: string): string[] {
    const { pi, paint } = this.options;
    const rows: string[] = [];
    let typed = 0;
    for (const line of lines) {
      if (line.startsWith(borderMark)) {
        // Where there is more than fits, the border says so.
        const text = line.replaceAll(borderMark, "");
        if (text.includes("more")) rows.push(paint.dim(pi.truncateToWidth(`${others}${text}`, width, "")));
      } else rows.push((typed++ === 0 ? first : others) + line);
    }
    return rows;
  }
}
