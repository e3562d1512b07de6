import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { toCommandWords } from "./auth-words.ts";

/** Literals of the code that a user of the command may get to see: those that name an option of the library. */
function textsOf(folder: string, isMeant: (file: string) => boolean): string[] {
  const root = new URL(`../../../tenon/src/${folder}/`, import.meta.url);
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && isMeant(file))
    .flatMap((file) => readFileSync(new URL(file, root), "utf8").split("\n"))
    .filter((line) => !/TypeError|RangeError|McpUsageError|^\s*(\*|\/[/*])/.test(line))
    .flatMap((line) => [...line.matchAll(/'(?:[^'\\]|\\.)*'|`[^`]*`/g)].map(([literal]) => literal.slice(1, -1)))
    .filter((text) => /[a-z(] ?option "|[Rr]aise option "|(^| )[a-z]+\(\)/i.test(text));
}

/** Files of the resource server, and those that the command does not use. */
const ELSEWHERE = /^(resource-server\/|grants\/(bearer|no-loopback|enterprise|workload|client-credentials)|scope|login\/server-)/;

test("no option of the library is named to users of the command", () => {
  const texts = [
    ...textsOf("auth", (file) => !ELSEWHERE.test(file)),
    ...textsOf("node", (file) => /^login\/(file-store|oauth-loopback)/.test(file)),
  ];
  expect(texts.length).toBeGreaterThan(10);
  expect(texts.map(toCommandWords).filter((text) => /option "|(^| )[a-z]+\(\)/i.test(text))).toEqual([]);
});
