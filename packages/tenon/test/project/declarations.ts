/**
 * What the source declares under a name: the text of a class, an interface, a type or a function, with what it is made from.
 *
 * A class counts with the types of its options and parameters, because parameters of Python are members of options here.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";

const SOURCES = fileURLToPath(new URL("../../src", import.meta.url));
const HEAD = /^(?:export )?(?:abstract |declare )*(class|interface|type|(?:async )?function|const) (\w+)/;
/** How many types deep a declaration is followed. */
const DEPTH = 3;

const texts = new Map<string, string[]>();
for (const name of readdirSync(SOURCES, { recursive: true, encoding: "utf8" })) {
  if (!/(?<!\.test)\.ts$/.test(name)) continue;
  const lines = readFileSync(join(SOURCES, name), "utf8").split("\n");
  for (const [at, line] of lines.entries()) {
    const [, what, declared] = HEAD.exec(line) ?? [];
    if (declared !== undefined) texts.set(declared, [...(texts.get(declared) ?? []), declarationAt(lines, at, what!)]);
  }
}

/** The lines of a declaration: to the semicolon of a type, or to the brace that ends a body. */
function declarationAt(lines: readonly string[], at: number, what: string): string {
  const isExpression = what === "type" || what === "const";
  const isLast = (line: string): boolean =>
    isExpression
      ? line.endsWith(";") && !/^ {2,}(?:readonly )?\w+\??:/.test(line)
      : line.startsWith("}") || (line === lines[at] && line.endsWith("}"));
  const length = lines.slice(at).findIndex(isLast) + 1;
  return lines.slice(at, at + length).join("\n");
}

/** All declarations, for names outside of classes. */
export const allDeclared: string = [...texts.values()].flat().join("\n");

/** The text of what is declared under a name; empty if nothing is. */
export function declaredText(name: string, depth: number = DEPTH, seen: Set<string> = new Set()): string {
  if (seen.has(name)) return "";
  seen.add(name);
  const own = (texts.get(name) ?? []).join("\n");
  if (depth === 0) return own;
  const heads = [...own.matchAll(/^(?:export )?(?:(?:abstract )?class|interface) [^{]*\{|^(?:export )?type [\s\S]*/gm)]
    .map(([head]) => head)
    .join(" ");
  const isClass = /^(?:export )?(?:abstract )?class /m.test(own);
  const used = [...(heads.match(/\b[A-Z]\w+/g) ?? []), ...(isClass ? (own.match(/\b[A-Z]\w+(?:Params|Options)\b/g) ?? []) : [])];
  return [own, ...[...new Set(used)].map((one) => declaredText(one, depth - 1, seen))].join("\n");
}
