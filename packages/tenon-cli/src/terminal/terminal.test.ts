import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { Terminal } from "./terminal.ts";

/** What a terminal may get of a peer's text: nothing that moves the cursor, hides or reorders. */
const HOSTILE = "a\u001B[2Jb\u001B]0;title\u0007c\u009B1md\u202Ee\u{E0041}f\uFDD0g\rh";

function open(isTTY: boolean): { terminal: Terminal; text: () => string } {
  const [stdout, stderr] = [Object.assign(new PassThrough(), { isTTY }), Object.assign(new PassThrough(), { isTTY })];
  const terminal = new Terminal({ stdout, stderr, env: {} });
  return { terminal, text: () => `${String(stdout.read() ?? "")}${String(stderr.read() ?? "")}` };
}

describe.each([true, false])("A terminal (%s)", (isTTY) => {
  it("writes notes and results without what a peer could do to it, and adds colour after that", async () => {
    const { terminal, text } = open(isTTY);
    terminal.note(HOSTILE);
    await terminal.print(HOSTILE);
    expect(text()).toBe("abcdefgh\nabcdefgh\n");
    terminal.note(terminal.paintNote("red", HOSTILE));
    await terminal.print(`${terminal.paint("bold", "x")}${HOSTILE}`);
    const [bold, red] = ["\u001B[1mx\u001B[22mabcdefgh\n", "\u001B[31mabcdefgh\u001B[39m\n"];
    expect(text()).toBe(isTTY ? bold + red : "xabcdefgh\nabcdefgh\n");
  });

  it("writes bytes unchanged to a file or a program, and as clean text to a user", async () => {
    const { terminal, text } = open(isTTY);
    await terminal.write(Buffer.from(`é${HOSTILE}`));
    expect(text()).toBe(isTTY ? "éabcdefgh\n" : `é${HOSTILE}`);
  });

  it("writes JSON with escapes, so that a program reads the same and a user sees what there is", async () => {
    const { terminal, text } = open(isTTY);
    await terminal.printJson(JSON.stringify({ text: HOSTILE }));
    const written = text();
    expect(JSON.parse(written)).toEqual({ text: HOSTILE });
    expect(written).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u{E0000}-\u{E007F}]./u);
    expect(written).toContain("\\u202e");
  });
});
