// Both ways of sealing make and read the same text: nodes of one server may run on different runtimes.
import fc from "fast-check";
import { expect, test } from "vitest";
import { deriveAead as deriveWeb } from "../session/asking/rounds/web-aead.ts";
import { deriveAead as deriveNode } from "./aead.ts";

const secret = fc.uint8Array({ minLength: 32, maxLength: 64 });
const text = fc.string({ unit: "grapheme", maxLength: 200 });

test("what one seals the other opens, under the same id", async () => {
  await fc.assert(
    fc.asyncProperty(secret, text, text, text, async (key, purpose, plain, bound) => {
      const [web, node] = [await deriveWeb(key, purpose), await deriveNode(key, purpose)];
      expect(node.id).toBe(web.id);
      expect(await web.open(await node.seal(plain, bound), bound)).toBe(plain);
      expect(await node.open(await web.seal(plain, bound), bound)).toBe(plain);
    }),
    { numRuns: 50 },
  );
});

test.each([
  ["web", deriveWeb],
  ["node", deriveNode],
] as const)("%s: nothing but the very text opens, with the very binding", async (_, derive) => {
  const key = await derive(new Uint8Array(32).fill(7), "p");
  const sealed = await key.seal("plain", "bound");
  const open = async (what: string, bound: string): Promise<string> => key.open(what, bound);
  await expect(open(sealed, "other")).rejects.toBeInstanceOf(Error);
  await fc.assert(
    fc.asyncProperty(fc.nat(sealed.length - 1), fc.constantFrom(..."AZaz09-_=+/. "), async (at, char) => {
      fc.pre(sealed[at] !== char);
      await expect(open(sealed.slice(0, at) + char + sealed.slice(at + 1), "bound")).rejects.toBeInstanceOf(Error);
    }),
  );
  for (const broken of ["", "A", "AAAA", sealed.slice(0, -1), `${sealed}A`, `${sealed}==`])
    await expect(open(broken, "bound")).rejects.toBeInstanceOf(Error);
});

test.each([
  ["web", deriveWeb],
  ["node", deriveNode],
] as const)("%s: another purpose is another key, under another id", async (_, derive) => {
  const [one, other] = [await derive(new Uint8Array(32).fill(7), "one"), await derive(new Uint8Array(32).fill(7), "other")];
  expect(one.id).not.toBe(other.id);
  const sealed = await one.seal("plain", "bound");
  await expect((async () => other.open(sealed, "bound"))()).rejects.toBeInstanceOf(Error);
});
