// docs/troubleshooting.md cannot rot: every message it quotes is written in the source, and every option it advises is a name there.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter(
  (name) => name.endsWith(".ts") && !name.endsWith(".test.ts"),
);
const sources = files.map((name) => withoutComments(readFileSync(join(root, "src", name), "utf8")));
const code = sources.join("\n");
/** The texts of each file, with `…` for what is put in. */
const texts = sources.map((source) => source.replace(/\\(["'\\])/g, "$1").replace(/\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/g, "…"));

const page = readFileSync(join(root, "docs/troubleshooting.md"), "utf8");
const rows = page
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) => line.slice(2, -2).split(" | ") as [string, string, string]);
const spans = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1]!);

function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}

/** Whether one file writes a message, or all its parts: some are made of several texts. `…` at an end is whatever stands there. */
function isWritten(message: string): boolean {
  const whole = message.replace(/^…\s*|…$/g, "").trim();
  const parts = whole.split("…").map((part) => part.trim());
  return texts.some((text) => text.includes(whole)) || texts.some((text) => parts.every((part) => text.includes(part)));
}

test("the page is made of rows with a message, a meaning and an advice", () => {
  expect(rows.length).toBeGreaterThan(40);
  for (const row of rows) {
    expect(row, row[0]).toHaveLength(3);
    expect(row[1], row[0]).not.toBe("");
    expect(row[2], row[0]).not.toBe("");
  }
  expect(new Set(rows.map(([message]) => message)).size).toBe(rows.length);
});

test("every message is written in the source", () => {
  const messages = rows.flatMap(([message]) => spans(message));
  expect(messages.filter((message) => !isWritten(message))).toEqual([]);
});

test("every option and every name in an advice is a name of the source", () => {
  const names = rows
    .flatMap(([, meaning, advice]) => spans(`${meaning} ${advice}`))
    .flatMap((span) => span.match(/\b[a-z]+[A-Z]\w*\b/g) ?? []);
  expect(names.length).toBeGreaterThan(30);
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(code))).toEqual([]);
});

test("a message that nobody writes is found out", () => {
  expect(isWritten("The server has run out of tea")).toBe(false);
  expect(isWritten('Request "…" timed out after … hours (option "…")')).toBe(false);
});
