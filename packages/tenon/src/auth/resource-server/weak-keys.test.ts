import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { weaknessOf } from "./weak-keys.ts";

/** A number as keys write it. */
function base64url(value: bigint): string {
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex").toString("base64url");
}

function integer(text: string): bigint {
  return BigInt(`0x${Buffer.from(text, "base64url").toString("hex")}`);
}

const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const { n, p } = privateKey.export({ format: "jwk" }) as { n: string; p: string };
const SOUND = publicKey.export({ format: "jwk" });

describe("keys with which anyone could sign [FD-52]", () => {
  test("usual keys are not refused: RSA of three sizes, elliptic curves, EdDSA", () => {
    const keys = [
      SOUND,
      ...[3072, 4096].map((modulusLength) => generateKeyPairSync("rsa", { modulusLength }).publicKey.export({ format: "jwk" })),
      generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "jwk" }),
      generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" }),
    ];
    expect(keys.map((key) => weaknessOf({ ...key }))).toEqual(keys.map(() => undefined));
  });

  test.each([1n, 2n, 3n, 17n, 257n, 65_535n, 65_536n, 65_538n])("an exponent of %s", (e) => {
    expect(weaknessOf({ kty: "RSA", n, e: base64url(e) })).toMatch(/^its exponent/);
  });

  test("an exponent of 65537 or above, odd", () => {
    for (const e of [65_537n, 2n ** 32n + 1n]) expect(weaknessOf({ kty: "RSA", n, e: base64url(e) })).toBeUndefined();
  });

  const prime = integer(p);
  const weak: Record<string, [bigint, RegExp]> = {
    "half the size": [prime, /has 1024 bits/],
    "more bits than any": [integer(n) << 16_000n, /has \d+ bits/],
    "an even modulus": [integer(n) - 1n, /small factor/],
    "a multiple of 3": [integer(n) * 3n, /small factor/],
    "the square of a prime": [prime * prime, /close to each other/],
    "neighbours as factors": [(2n ** 1024n + 643n) * (2n ** 1024n + 1_437n), /close to each other/],
    "the form of the ROCA generator": [rocaModulus(), /ROCA/],
  };
  test.each(Object.keys(weak))("%s", (what) => {
    const [modulus, words] = weak[what]!;
    expect(weaknessOf({ kty: "RSA", n: base64url(modulus), e: "AQAB" })).toMatch(words);
  });

  test("a key with its private part, and RSA keys without numbers", () => {
    expect(weaknessOf({ ...privateKey.export({ format: "jwk" }) })).toMatch(/private part/);
    for (const key of [{}, { n }, { n: "!", e: "AQAB" }, { n: 7, e: "AQAB" }, { n, e: "A" }])
      expect(weaknessOf({ kty: "RSA", ...key })).toMatch(/no RSA key/);
  });
});

/** A number that leaves a power of 65537 at each prime, as moduli of that generator do. */
function rocaModulus(): bigint {
  const product = [
    3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113,
  ]
    .concat(127, 131, 137, 139, 149, 151, 157, 163, 167)
    .reduce((all, one) => all * BigInt(one), 1n);
  let value = 65_537n ** 5n % product;
  while (value.toString(2).length < 2_048 || value % 2n === 0n)
    value += product << BigInt(Math.max(0, 2_047 - product.toString(2).length));
  return value;
}
