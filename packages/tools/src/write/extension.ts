/** What a file is, by its name: the extension in small letters without its dot, or the whole name when it has none. */
export function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? name : name.slice(dot + 1);
}
