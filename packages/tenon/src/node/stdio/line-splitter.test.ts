import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { MalformedMessage } from "../../jsonrpc/incoming.ts";
import { LineSplitter, type Line } from "./line-splitter.ts";
import { LimitExceededError } from "../../jsonrpc/mcp-error.ts";

/** Any well-formed text, ASCII half of the time. */
const anyText = fc
  .array(
    fc.oneof(fc.nat({ max: 0x7f }), fc.nat({ max: 0x7f }), fc.nat({ max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff })),
  )
  .map((points) => String.fromCodePoint(...points));

const bytes = (...parts: (string | number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))));

function split(chunks: readonly Buffer[]): Line[] {
  const splitter = new LineSplitter();
  const lines: Line[] = [];
  for (const chunk of chunks) splitter.push(chunk, lines);
  splitter.end(lines);
  return lines;
}

/** The chunks that cutting `whole` at these places makes. */
function cut(whole: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [0, ...places.map((place) => place % (whole.length + 1)).sort((a, b) => a - b), whole.length];
  return sorted.slice(1).map((end, i) => whole.subarray(sorted[i], end));
}

describe("lines", () => {
  it("ends a line at a line feed only, and takes one carriage return before it away [ST-20 C.1]", () => {
    expect(split([bytes('{"a":1}\r\n"\u2028\u2029"\n1\r2\n3\r\r\n')])).toEqual(['{"a":1}', '"\u2028\u2029"', "1\r2", "3\r"]);
  });

  it("leaves out blank lines [ST-20 S15]", () => {
    expect(split([bytes("\n\r\n  \t\r\n1\n \n"), bytes(" "), bytes(" \n2\n")])).toEqual(["1", "2"]);
  });

  it("an unterminated last line is a line, unless it is blank [ST-71]", () => {
    expect(split([bytes("1\n2")])).toEqual(["1", "2"]);
    expect(split([bytes("1\n2\r")])).toEqual(["1", "2"]);
    expect(split([bytes("1\n \t")])).toEqual(["1"]);
    expect(split([])).toEqual([]);
  });

  it("drops a byte order mark at the very start and nowhere else [S15]", () => {
    const bom = [0xef, 0xbb, 0xbf];
    expect(split([bytes(bom, "1\n", bom, "2\n")])).toEqual(["1", "\uFEFF2"]);
    expect(split([bytes([0xef]), bytes([0xbb]), bytes([0xbf], "1\n")])).toEqual(["1"]);
    expect(split([bytes(bom, "\n1\n")])).toEqual(["1"]);
  });

  it("any way to cut the stream gives the same lines [S12 S19 ST-20]", () => {
    const text = fc.array(
      fc.oneof(anyText, fc.constantFrom("\n", "\r\n", "\r", " ", "é", "日本", "😀", "\uFFFD", "\u2028", "\uFEFF")),
      {
        maxLength: 20,
      },
    );
    const places = fc.array(fc.nat(200), { maxLength: 30 });
    fc.assert(
      fc.property(text, places, fc.constantFrom(1, 1000), (parts, at, times) => {
        const whole = bytes(parts.join("").repeat(times));
        const expected = new TextDecoder()
          .decode(whole)
          .split("\n")
          .map((line) => line.replace(/\r$/, ""))
          .filter((line) => !/^[ \t\r]*$/.test(line));
        expect(split([whole])).toEqual(expected);
        expect(
          split(
            cut(
              whole,
              at.map((place) => place * times),
            ),
          ),
        ).toEqual(expected);
        if (times === 1) expect(split(Array.from(whole, (byte) => Buffer.of(byte)))).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it("10,000 messages in one chunk, and the same a byte a chunk [S19]", () => {
    const messages = Array.from({ length: 10_000 }, (_, id) => `{"id":${id}}`);
    const whole = bytes(`${messages.join("\n")}\n`);
    expect(split([whole])).toEqual(messages);
    expect(split(Array.from(whole, (byte) => Buffer.of(byte)))).toEqual(messages);
  });

  it("keeps nothing of a small chunk, whose buffer may be used again [ST-20]", () => {
    const splitter = new LineSplitter();
    const lines: Line[] = [];
    const buffer = Buffer.alloc(4);
    for (const part of ["abcd", "efgh", "i\nj\n", "\n\n\n\n"]) {
      buffer.set(bytes(part));
      splitter.push(buffer, lines);
    }
    expect(lines).toEqual(["abcdefghi", "j"]);
  });
});

describe("invalid UTF-8", () => {
  const spoiled = (head: string): Buffer => bytes(head, [0xff], '"}}\n');

  it.each([
    ["a lone continuation byte", [0x80]],
    ["an overlong slash", [0xc0, 0xaf]],
    ["a surrogate", [0xed, 0xa0, 0x80]],
    ["beyond U+10FFFF", [0xf4, 0x90, 0x80, 0x80]],
    ["a character cut off", [0xe6, 0x97]],
  ])("%s makes that line malformed, and the next ones arrive [S13 ST-33 F11]", (_, wrong) => {
    for (const long of ["", "x".repeat(10_000)]) {
      const lines = split([bytes('"before"\n"', long), bytes(wrong), bytes('"\n"after"\n')]);
      expect(lines).toMatchObject(['"before"', { id: null, isResponse: false, error: { code: -32700 } }, '"after"']);
      expect(lines[1]).toBeInstanceOf(MalformedMessage);
    }
  });

  it("a response that is not UTF-8 names the call it breaks [S13]", () => {
    expect(split([spoiled('{"jsonrpc":"2.0","id":3,"result":{"a":"')])).toMatchObject([
      { id: 3, isResponse: true, error: { code: -32700 } },
    ]);
  });

  it("a request that is not UTF-8 gets an error response without an id [F1 S13]", () => {
    expect(split([spoiled('{"jsonrpc":"2.0","id":3,"method":"m","params":{"a":"')])).toMatchObject([
      { id: null, isResponse: false },
    ]);
  });

  it("a replacement character the peer wrote itself is a character [ST-33]", () => {
    expect(split([bytes('"\uFFFD"\n')])).toEqual(['"\uFFFD"']);
  });
});

describe("maxLineBytes", () => {
  const pushAll = (
    chunks: readonly Buffer[],
    maxLineBytes?: number,
  ): { lines: Line[]; error: unknown; splitter: LineSplitter } => {
    const splitter = new LineSplitter(maxLineBytes);
    const lines: Line[] = [];
    try {
      for (const chunk of chunks) splitter.push(chunk, lines);
    } catch (error) {
      return { lines, error, splitter };
    }
    return { lines, error: undefined, splitter };
  };

  it.each([1, 3, 7, 100])("a line at the limit passes, one more byte does not (%d bytes a chunk) [S14 ST-34 F8]", (size) => {
    const chunked = (text: string): Buffer[] =>
      cut(
        bytes(text),
        Array.from({ length: Math.ceil(text.length / size) }, (_, i) => i * size),
      );
    expect(pushAll(chunked("12345678\n1\n"), 8)).toMatchObject({ lines: ["12345678", "1"], error: undefined });
    const { lines, error } = pushAll(chunked("ok\n123456789\n1\n"), 8);
    expect(lines).toEqual(["ok"]);
    expect(error).toBeInstanceOf(LimitExceededError);
    expect(error).toMatchObject({ limit: "limits.maxLineBytes", max: 8 });
  });

  it("is reported before the line ends, once, and nothing comes after it [S14 ST-34]", () => {
    const { error, lines, splitter } = pushAll([bytes("123456789")], 8);
    expect(error).toBeInstanceOf(LimitExceededError);
    splitter.push(bytes("123456789\n1\n"), lines);
    splitter.end(lines);
    expect(lines).toEqual([]);
  });

  it.each([1, 7, 5000, 200_000])("is reported with the id it begins with: chunks of %d [S14 F2]", (size) => {
    const line = bytes(`{"jsonrpc":"2.0","id":"x","method":"m","params":{"text":"${"é".repeat(50_000)}"}}\n`);
    const chunks = Array.from({ length: Math.ceil(line.length / size) }, (_, i) => line.subarray(i * size, (i + 1) * size));
    const { error, splitter } = pushAll(chunks, 90_000);
    expect(splitter.tooLong).toEqual(new MalformedMessage(error as LimitExceededError, "x"));
    expect(pushAll([bytes(`{"id":${"1".repeat(90_001)}`)], 90_000).splitter.tooLong).toMatchObject({
      id: null,
      isResponse: false,
    });
  });

  it("is 10 MiB by default [S14 F8]", () => {
    const full = Buffer.alloc(10 * 1024 * 1024, "1");
    const { lines, error } = pushAll([full, bytes("\n")]);
    expect([error, lines.map((line) => typeof line === "string" && line.length)]).toEqual([undefined, [full.length]]);
    expect(pushAll([full, bytes("1\n")]).error).toMatchObject({ limit: "limits.maxLineBytes", max: full.length });
  });

  it.each([1, 16, 1000, 4096, 5000])(
    "joins the kept pieces once, and makes none smaller than necessary: chunks of %d [S14 R9]",
    (size) => {
      // Counted, since a clock would measure the machine.
      const joins = vi.spyOn(Buffer, "concat");
      try {
        const chunk = Buffer.alloc(size, "1");
        const count = Math.floor(2_000_000 / size);
        const { lines, error, splitter } = pushAll(Array.from({ length: count }, () => chunk));
        expect([lines, error, joins.mock.calls]).toEqual([[], undefined, []]);
        splitter.end(lines);
        expect(lines).toEqual(["1".repeat(count * size)]);
        expect(joins).toHaveBeenCalledTimes(1);
        expect(joins.mock.calls[0]![0].length).toBeLessThanOrEqual((count * size) / 2048);
      } finally {
        joins.mockRestore();
      }
    },
  );
});
