import { PassThrough } from "node:stream";
import { beforeAll, describe, expect, test } from "vitest";
import { loadPi, type Pi } from "./pi.js";
import { TerminalPort } from "./port.js";

let pi: Pi;
beforeAll(async () => (pi = await loadPi()));

const everything = "\u001b[2J\u001b[H\u001b[3J";
const numbered = (count: number) => Array.from({ length: count }, (_, i) => `line ${i}`);

function terminal({ columns = 80, rows = 5 } = {}) {
  const input = new PassThrough() as unknown as NodeJS.ReadStream;
  const size = { columns, rows };
  let written = "";
  const output = Object.assign(new PassThrough(), {
    write: (text: string) => ((written += text), true),
  }) as unknown as NodeJS.WriteStream;
  Object.defineProperties(output, {
    columns: { get: () => size.columns },
    rows: { get: () => size.rows },
  });
  const port = new TerminalPort({ pi, input, output, onGone: () => {} });
  const take = () => {
    const text = written;
    written = "";
    return text;
  };
  return { port, input, size, take };
}

describe("drawing everything anew", () => {
  test("clears no history of the terminal and writes only the screen", () => {
    const { port, take } = terminal();
    port.write(`<${everything}${numbered(20).join("\r\n")}>`);
    expect(take()).toBe(`<\u001b[2J\u001b[H${numbered(20).slice(-5).join("\r\n")}>`);
  });

  test("at another width writes the whole conversation once", () => {
    const { port, size, take } = terminal();
    size.columns = 40;
    port.write(everything + numbered(20).join("\r\n"));
    expect(take()).toBe(`\u001b[2J\u001b[H${numbered(20).join("\r\n")}`);
    port.write(everything + numbered(20).join("\r\n"));
    expect(take()).toBe(`\u001b[2J\u001b[H${numbered(20).slice(-5).join("\r\n")}`);
  });

  test("after another program had the terminal clears nothing of what that one left", () => {
    const { port, take } = terminal();
    port.start(
      () => {},
      () => {},
    );
    port.stop();
    port.start(
      () => {},
      () => {},
    );
    take();
    port.write(everything + numbered(3).join("\r\n"));
    expect(take()).toBe(numbered(3).join("\r\n"));
    port.stop();
  });
});

describe("what is typed", () => {
  test("comes key by key, and what is pasted in one piece, however it arrives", async () => {
    const { port, input, take } = terminal();
    const heard: string[] = [];
    const done = new Promise<void>((all) =>
      port.start(
        (data) => {
          heard.push(data);
          if (data === "!") all();
        },
        () => {},
      ),
    );
    for (const part of ["ab\u001b", "[A\u001b[20", "0~one\r\ntwo", "\u001b[201~", "!"]) {
      input.push(part);
      await new Promise((next) => setImmediate(next));
    }
    await done;
    port.stop();
    expect(heard).toEqual(["a", "b", "\u001b[A", "\u001b[200~one\r\ntwo\u001b[201~", "!"]);
    expect(take()).toBe("\u001b[?2004h\u001b[?2004l");
  });
});
