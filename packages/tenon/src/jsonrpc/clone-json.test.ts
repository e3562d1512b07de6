import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cloneJson, MAX_CLONE_DEPTH } from "./clone-json.ts";
import { JsonText } from "./message.ts";

/** Any text, lone surrogates included, ASCII half of the time. */
const anyText = fc.array(fc.oneof(fc.nat({ max: 0x7f }), fc.nat({ max: 0xffff }))).map((units) => String.fromCharCode(...units));

/** What the copy has to be: the same trip through text. */
function throughText(value: unknown): unknown {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? undefined : JSON.parse(text);
}

class Named {
  readonly #hidden = 1;
  readonly shown: unknown;
  constructor(shown: unknown) {
    this.shown = shown;
  }
  get hidden(): number {
    return this.#hidden;
  }
}

/** Values a handler may return: JSON, and all that JSON.stringify has a rule for. */
const anything = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { depthSize: "medium", withCrossShrink: true },
    fc.oneof(
      anyText,
      fc.double(),
      fc.integer(),
      fc.boolean(),
      fc.date({ noInvalidDate: false }),
      fc.constantFrom<unknown>(
        undefined,
        null,
        NaN,
        -0,
        Infinity,
        Symbol("s"),
        () => 1,
        new JsonText('{"a":[1]}'),
        /x/,
        new Map([["a", 1]]),
      ),
      fc.constantFrom<unknown>(
        new Number(-0),
        new String("s"),
        new Boolean(false),
        Object.assign(() => 1, { toJSON: () => "from a function" }),
      ),
      fc.constant(null).map(() => new Uint8Array([1, 2])),
    ),
    fc.array(tie("node"), { maxLength: 4 }),
    fc.sparseArray(tie("node"), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "2", "1", "toString", "length")),
      tie("node"),
      {
        maxKeys: 4,
      },
    ),
    tie("node").map((shown) => new Named(shown)),
    tie("node").map((inner) => ({ toJSON: (key: string) => ({ key, inner }) })),
    tie("node").map((inner) => ({ toJSON: () => inner, ignored: 1 })),
    tie("node").map((inner) => ({ toJSON: "not a function", inner, [Symbol("s")]: 1 })),
    tie("node").map((inner) => Object.defineProperty({ inner }, "concealed", { value: 1, enumerable: false })),
  ),
})).node;

describe("cloneJson", () => {
  it("is what a trip through text gives, keys in order [CV-03 F13]", () => {
    fc.assert(
      fc.property(anything, (value) => {
        const expected = throughText(value);
        const copy = cloneJson(value);
        // Not toStrictEqual, which mistakes a member named "constructor" for the class.
        expect(isDeepStrictEqual(copy, expected), `${JSON.stringify(copy)} for ${JSON.stringify(expected)}`).toBe(true);
        expect(JSON.stringify(copy)).toBe(JSON.stringify(expected));
      }),
      { numRuns: 5000 },
    );
  });

  it("shares nothing with the original [F13]", () => {
    const original = { content: [{ type: "text", text: "5" }], structuredContent: { sum: 5 } };
    const copy = cloneJson(original);
    original.content[0]!.text = "6";
    original.structuredContent.sum = 6;
    expect(copy).toEqual({ content: [{ type: "text", text: "5" }], structuredContent: { sum: 5 } });
  });

  it("copies __proto__ as a member [F5]", () => {
    const copy = cloneJson(JSON.parse('{"__proto__":{"polluted":1}}') as { polluted?: unknown });
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(copy.polluted).toBeUndefined();
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"polluted":1}}');
  });

  it("passes the key to toJSON as JSON does, at the root, in objects and in arrays", () => {
    const tell = { toJSON: (key: unknown) => [key] };
    for (const value of [tell, { a: tell }, [tell, tell]]) expect(cloneJson<unknown>(value)).toEqual(throughText(value));
  });

  it("refuses a BigInt and a boxed one [F12]", () => {
    for (const value of [1n, { a: [1n] }, Object(1n), { toJSON: () => 1n }]) {
      expect(() => throughText(value)).toThrow(TypeError);
      expect(() => cloneJson<unknown>(value)).toThrow(TypeError);
    }
  });

  it("refuses cycles, narrow, wide and made by toJSON [F12]", () => {
    const cycle: Record<string, unknown> = {};
    cycle["a"] = { b: [cycle] };
    const wide: unknown[] = [];
    wide.push(wide, wide, wide);
    const endless = { toJSON: (): unknown => ({ again: endless }) };
    for (const value of [cycle, wide, endless]) expect(() => cloneJson<unknown>(value)).toThrow(TypeError);
  });

  it("copies down to its limit and no deeper [F8]", () => {
    const nested = (depth: number): unknown => JSON.parse("[".repeat(depth) + "]".repeat(depth));
    expect(JSON.stringify(cloneJson(nested(MAX_CLONE_DEPTH)))).toHaveLength(2 * MAX_CLONE_DEPTH);
    expect(() => cloneJson(nested(MAX_CLONE_DEPTH + 1))).toThrow(TypeError);
  });
});
