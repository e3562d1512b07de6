/** A server that was moved starts about as fast as before: the layer loads only what serves it. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const src = fileURLToPath(new URL("../src/", import.meta.url));

/** What a module imports at its start, types apart. */
const importsOf = (file: string): string[] =>
  [...readFileSync(file, "utf8").matchAll(/^import (?!type )[^;]*? from "([^"]+)";/gm)].map(([, name = ""]) => name);

/** All modules that these load, and what they import of Tenon. */
function loaded(files: readonly string[]): string[] {
  const seen = new Set<string>();
  const found = new Set<string>();
  for (const waiting = [...files]; waiting.length > 0;) {
    const file = waiting.pop()!;
    if (seen.has(file)) continue;
    seen.add(file);
    for (const name of importsOf(file)) {
      if (name.startsWith(".")) waiting.push(join(dirname(file), name));
      if (/^tenon(\/|$)/.test(name)) found.add(name);
    }
  }
  return [...found].toSorted();
}

const modules = (folder: string): string[] => readdirSync(join(src, folder)).map((name) => join(src, folder, name));

test("a server of the layer imports, at its start, what serves, and nothing that the client, the command or HTTP needs", () => {
  expect(loaded([...modules("server"), join(src, "types.ts")])).toEqual(["tenon/internal/embedding"]);
});

test("a client of the layer imports of Tenon, at its start, what calls, and nothing that serves over HTTP", () => {
  expect(loaded(modules("client"))).toEqual(["tenon/auth", "tenon/client", "tenon/internal/embedding"]);
});
