/** Keys of several nodes, as text or as bytes. */
import { expect, it } from "vitest";
import { KeyRing } from "./key-ring.ts";

const KEY = "0123456789abcdef0123456789abcdeé";

it("a key is the same as text and as its bytes in UTF-8", async () => {
  const [text, bytes] = [new KeyRing([KEY], "p"), new KeyRing([new TextEncoder().encode(KEY)], "p")];
  expect(await bytes.open(await text.seal("plain", "bound"), "bound")).toBe("plain");
  expect(await text.open(await bytes.seal("plain", "bound"), "bound")).toBe("plain");
});

it("the first of several keys seals, and each opens", async () => {
  const [first, second] = ["a".repeat(32), "b".repeat(32)];
  const both = new KeyRing([first, second], "p");
  const sealed = await both.seal("plain", "bound");
  expect(await new KeyRing([first], "p").open(sealed, "bound")).toBe("plain");
  expect(await both.open(await new KeyRing([second], "p").seal("old", "bound"), "bound")).toBe("old");
  await expect((async () => new KeyRing([second], "p").open(sealed, "bound"))()).rejects.toMatchObject({ name: "UnknownKey" });
});

it("a text of another version, or of more or fewer parts, is not its own", async () => {
  const ring = new KeyRing([KEY], "p");
  const [, id, sealed] = (await ring.seal("plain", "bound")).split(".");
  for (const text of [`v2.${id}.${sealed}`, "v1", `v1.${id}`, `v1.${id}.${sealed}.${sealed}`])
    expect(() => ring.open(text, "bound"), text).toThrow("This server did not seal this text");
});

it("d.4 the operator is warned once, when a new key is due", async () => {
  let warnings = 0;
  const ring = new KeyRing([KEY], "p", () => warnings++, 2);
  for (let text = 0; text < 2; text++) await ring.seal("plain", "bound");
  expect(warnings).toBe(0);
  for (let text = 0; text < 3; text++) await ring.seal("plain", "bound");
  expect(warnings).toBe(1);
});
