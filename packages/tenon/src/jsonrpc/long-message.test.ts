import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { parseLongMessage } from "./long-message.ts";
import { parseMessage } from "./parse.ts";

const limits = { size: 64 * 2 ** 20 };

/** A text in parts, cut at the given places. */
function partsOf(text: string, cuts: readonly number[]): string[] {
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).toSorted((a, b) => a - b), text.length];
  return places.slice(1).map((end, i) => text.slice(places[i], end));
}

const message = (params: unknown): string => JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
/** Longer than what is taken out, with every kind of escape. */
const long = (seed: string): string => `${seed}\\"\n\u0001\u{1F600}é${"ab\\".repeat(30_000)}`;

describe("a long message", () => {
  test("is what it would be if it were parsed at once, wherever it is cut", async () => {
    const values = fc.letrec((tie) => ({
      value: fc.oneof(
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.string(),
        fc.string().map(long),
        tie("list"),
        tie("object"),
      ),
      list: fc.array(tie("value"), { maxLength: 4 }),
      object: fc.dictionary(fc.oneof(fc.string(), fc.constant("__proto__"), fc.string().map(long)), tie("value"), { maxKeys: 4 }),
    }));
    await fc.assert(
      fc.asyncProperty(values.object, fc.array(fc.nat(), { maxLength: 6 }), async (params, cuts) => {
        const text = message(params);
        expect(await parseLongMessage(partsOf(text, cuts), limits)).toEqual(parseMessage(text, limits));
      }),
      { numRuns: 60 },
    );
  });

  test.for([1, 2, 3, 4, 5, 6, 7])("keeps escapes that %i characters before a cut begin", async (before) => {
    const text = message({ a: `${"x".repeat(70_000)}\u0001\\\\\u0002${"y".repeat(70_000)}` });
    const escape = text.indexOf("\\u0001");
    for (let cut = escape; cut < escape + 30; cut += before) {
      expect(await parseLongMessage([text.slice(0, cut), text.slice(cut)], limits)).toEqual(parseMessage(text, limits));
    }
  });

  const x = "x".repeat(100_000);
  test.for([
    ["ends within a string", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"${x}`],
    ["has a raw line break in a string", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"${x}\n"}}`],
    ["has an escape that JSON does not have", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"${x}\\x"}}`],
    ["has a long key twice", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"${x}":1,"${x}":2}}`],
    ["has a short key twice", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"${x}","a":2}}`],
    ["is too deep", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"${x}","b":${"[".repeat(70)}${"]".repeat(70)}}}`],
    ["is too long", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"${x.repeat(700)}"}}`],
    ["is an empty batch after a long space", `${" ".repeat(100_000)}[]`],
    ["is a string", `"${x}"`],
  ] as const)("is refused as it would be at once if it %s", async ([, text]) => {
    const refused = await parseLongMessage(text, limits);
    expect(refused).toMatchObject({ error: { code: expect.any(Number) as number } });
    expect(JSON.stringify(refused)).toBe(JSON.stringify(parseMessage(text, limits)));
  });

  test("of many strings of some hundred characters is parsed a part at a time, too", async () => {
    const text = message({
      records: Array.from({ length: 20_000 }, (_, id) => ({ id, text: "0123456789 abcdef\n".repeat(20) })),
    });
    const parse = vi.spyOn(JSON, "parse");
    const incoming = await parseLongMessage(partsOf(text, [2 ** 20, 2 ** 21 + 1, 3 * 2 ** 20]), limits);
    const longest = Math.max(...parse.mock.calls.map(([part]) => part.length));
    parse.mockRestore();
    expect(incoming).toEqual(parseMessage(text, limits));
    expect([text.length > 7 * 2 ** 20, longest < 2 ** 21]).toEqual([true, true]);
  });

  const ofRecords = { records: Array.from({ length: 24_000 }, (_, id) => ({ id, text: "x".repeat(250) })) };
  test.for([
    // One turn for each million characters, and for the records one for each 4,000 of them besides.
    ["one string", { a: "é".repeat(6 * 2 ** 20) }, 6],
    ["many records", ofRecords, 6 + 24_000 / 4_000],
  ] as const)("of %s is parsed in turns: others run meanwhile", async ([, params, least]) => {
    let turns = 0;
    const timer = (): void => void (turns++, (handle = setImmediate(timer)));
    let handle = setImmediate(timer);
    const incoming = await parseLongMessage(message(params), limits);
    clearImmediate(handle);
    expect(incoming).toMatchObject({ id: 1 });
    expect(turns).toBeGreaterThanOrEqual(least);
  });
});
