/** A server that was moved starts about as fast as before: the layer loads only what serves it. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const src = fileURLToPath(new URL("../src/", import.meta.url));

test("the layer imports of Tenon, at its start, what serves, and nothing that the command or HTTP needs", () => {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const imported = files.flatMap((name) =>
    [...readFileSync(src + name, "utf8").matchAll(/^import (?!type )[^;]*? from "(tenon(?:\/[\w/]+)?)";/gm)].map(
      ([, subpath]) => subpath,
    ),
  );
  expect([...new Set(imported)].toSorted()).toEqual(["tenon/internal/embedding", "tenon/server"]);
});
