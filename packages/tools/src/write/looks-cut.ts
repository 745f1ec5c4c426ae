export function looksCut(_text: string, _path: string): string | undefined { return undefined; }
