import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { growth, LINEAR } from "../../../test/support/cpu-cost.ts";
import { parseChallenges, readChallenge } from "./challenge.ts";

const SERVER = new URL("https://mcp.example.com/mcp?key=canary");

function read(header: string | null): ReturnType<typeof readChallenge> {
  return readChallenge({ status: 401, headers: { get: (name) => (name === "www-authenticate" ? header : null) } }, SERVER);
}

describe("a challenge is read [M2.1]", () => {
  test("in every spelling that is seen", () => {
    const all = { error: "invalid_token", scope: ["a", "b"], resourceMetadata: "https://mcp.example.com/x" };
    for (const header of [
      'Bearer error="invalid_token", scope="a b", resource_metadata="https://mcp.example.com/x"',
      'bearer  scope="a  b a",error=invalid_token , resource_metadata=https://mcp.example.com/x',
      'DPoP algs="ES256", error="invalid_token", SCOPE="a b", Resource_Metadata = "https://mcp.example.com/x"',
      'Negotiate YWJj==, Bearer realm="x, y=\\"z\\"", error="invalid\\_token", scope="a b", ' +
        'resource_metadata="https://mcp.example.com/x"',
      'Basic realm="r", Bearer scope="a b", DPoP error="invalid_token", resource_metadata="https://mcp.example.com/x",',
    ]) {
      expect(read(header), header).toEqual(all);
    }
  });

  test("or is not there", () => {
    const nothing = { error: undefined, scope: undefined, resourceMetadata: undefined };
    for (const header of [null, "", "  ", "Bearer", "Bearer ", 'Bearer realm="x"', 'Bearer scope=""'])
      expect(read(header)).toEqual(nothing);
  });

  test.each([
    'Bearer resource_metadata="https://mcp.example.com/x',
    'Bearer error="a", error="b"',
    'Bearer error="a"b',
    '"Bearer"',
    "=x",
    "Bearer/x",
    'Bearer scope="a\tb"',
    'Bearer scope="a\u00e9"',
  ])("one that could be read in two ways is an error: %s", (header) => {
    expect(() => read(header)).toThrow(
      /\(challenge, https:\/\/mcp\.example\.com\/mcp\): .*WWW-Authenticate.* must repair this\.$/,
    );
    expect(() => read(header)).not.toThrow(/canary/);
  });

  test("another scheme is not ours", () => {
    expect(() => read('Basic realm="canary"')).toThrow('so this is not OAuth. Pass what it wants in option "headers"');
  });
});

test("what is written is what is read", () => {
  const token = fc.stringMatching(/^[a-z][a-z0-9_-]{0,8}$/);
  const quoted = fc.string({ maxLength: 20 }).filter((text) => !/[\r\n]/.test(text));
  const parameters = fc.uniqueArray(fc.tuple(token, quoted), { minLength: 1, maxLength: 4, selector: ([name]) => name });
  const challenge = fc.tuple(token, parameters);
  fc.assert(
    fc.property(fc.array(challenge, { minLength: 1, maxLength: 4 }), (challenges) => {
      const text = challenges
        .map(
          ([scheme, pairs]) =>
            `${scheme} ${pairs.map(([name, value]) => `${name}="${value.replace(/["\\]/g, "\\$&")}"`).join(", ")}`,
        )
        .join(", ");
      expect(parseChallenges(text)).toEqual(challenges.map(([scheme, pairs]) => ({ scheme, parameters: new Map(pairs) })));
    }),
  );
});

test.each(["a=", '"', '\\"', " ,", 'a="b",', "a ", "=", "a=b=c,"])(
  "a header of many %j is read in linear time [rule R9]",
  (piece) => {
    expect(growth((size) => parseChallenges(`Bearer ${piece.repeat(size)}`))).toBeLessThan(LINEAR);
  },
);
