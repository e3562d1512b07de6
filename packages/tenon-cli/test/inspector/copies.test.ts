/**
 * A call as text for elsewhere: a server's names and a caller's arguments stay data, in a shell, in a terminal and in a program.
 */
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import type { TargetEntry } from "../../src/inspector/entries.ts";
import { asCurl, asTenonCall, asTypeScript, shellWord, sourceText } from "../../src/inspector/page/parts/copies.ts";
import { assertHas } from "../../../tenon/test/support/needs.ts";

/** Texts that end a line, a string or a quote, move a cursor, or change the order in which a text is read. */
const HOSTILE = [
  "a'b",
  'a"b',
  "a\\b",
  "a\n\u0003; touch /tmp/x",
  "\u001B[2Ja",
  "a\u202Eb",
  "a\u009Bb",
  "a\u007Fb",
  "$(id)`id`!!",
  "a\\'\u0003",
];
// oxlint-disable-next-line no-control-regex -- it has to match control characters
const HIDDEN = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/u;
const target = { typed: "npx server", url: "https://mcp.example/mcp" } as unknown as TargetEntry; // a copy reads no other member

test("a shell reads each word as it was", (context) => {
  assertHas(context, "bash");
  for (const text of HOSTILE) {
    expect(shellWord(text)).not.toMatch(HIDDEN);
    const { stdout } = spawnSync("bash", ["-c", `printf %s ${shellWord(text)}`], {
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C.UTF-8" },
    });
    expect(stdout).toBe(text);
  }
});

test.each(HOSTILE)("copies of a call of %j hold nothing hidden, and the program has the same text", (text) => {
  for (const copy of [
    asTenonCall(target, text, { [text]: text }),
    asTypeScript(target, text, { [text]: text }),
    asCurl(target, JSON.stringify({ params: { name: text } }), { "mcp-name": text }),
  ])
    expect(copy).not.toMatch(HIDDEN);
  expect(JSON.parse(sourceText({ [text]: text }))).toEqual({ [text]: text });
});
