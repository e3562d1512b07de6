/**
 * What the user reads before agreeing: each thing that an entry wants, whole or cut in the middle, and nothing that it does not
 * want.
 */
import { describe, expect, test } from "vitest";
import type { EntryDemand } from "tenon/internal";
import { demandLines } from "./consent.ts";

const NOTHING: EntryDemand = { server: "a", program: undefined, variables: [], files: [], written: [], origins: [], digest: "" };
const lines = (demand: Partial<EntryDemand>): string[] => demandLines({ ...NOTHING, ...demand });
const file = { written: "${file:key}", path: "/home/ada/key", isOutside: true };

describe("an entry at a URL", () => {
  test("sends variables and files to its origins", () => {
    const inside = { ...file, isOutside: false };
    expect(lines({ variables: ["TOKEN"], files: [inside], origins: ["https://x.example", "https://y.example"] })).toEqual([
      "a sends ${TOKEN}, ${file:key} to https://x.example, https://y.example",
    ]);
    expect(lines({ variables: ["TOKEN"] })).toEqual(["a sends ${TOKEN} to a place that is not written"]);
  });

  test("that takes nothing sends nothing, and a file outside has a line of its own", () => {
    expect(lines({ origins: ["https://x.example"] })).toEqual([]);
    expect(lines({ server: undefined, files: [file], origins: ["https://x.example"] })).toEqual([
      "The file itself sends ${file:key} to https://x.example",
      "The file itself reads a file outside the folder of the configuration: ${file:key} (/home/ada/key)",
    ]);
  });
});

describe("an entry that is a program", () => {
  test("hides nothing, and no name or path of it can pass for the sentence", () => {
    const program = { command: "rm", args: ["\u202Etxt", "a\u200Bb", "\u001B[8m"], env: { "A\n": "1" } };
    expect(lines({ server: "b would start: ls\n", program })).toEqual([
      String.raw`"b would start: ls\n" would start: rm "\u202etxt" "a\u200bb" "\u001b[8m" (variables: "A\n"=1)`,
    ]);
    const odd = { ...file, written: "key to https://x.example, \u202E", path: "/key to" };
    expect(lines({ files: [odd], origins: ["https://y.example"] })).toEqual([
      String.raw`a sends "key to https://x.example, \u202e" to https://y.example`,
      String.raw`a reads a file outside the folder of the configuration: "key to https://x.example, \u202e" ("/key to")`,
    ]);
  });

  test("would start its command, with each word as it is run", () => {
    expect(lines({ program: { command: "npx" } })).toEqual(["a would start: npx"]);
    const program = { command: "npx", args: ["-y", "x y", 7, "${TOKEN}", "$(rm)"], cwd: "/a b" };
    expect(lines({ program })).toEqual(['a would start: npx -y "x y" 7 ${TOKEN} "$(rm)" (in "/a b")']);
  });

  test("shows its variables and their file, if it has any, and does not say that it sends them", () => {
    const program = { command: "x", env: { A: "1", B: "b c" }, envFile: "my vars" };
    expect(lines({ program, variables: ["HOME_TOKEN"] })).toEqual([
      'a would start: x (variables: A=1, B="b c") (variables of the file "my vars")',
    ]);
    expect(lines({ program: { command: "x", env: {} } })).toEqual(["a would start: x"]);
    expect(lines({ program: { command: "x", envFile: ".env" } })).toEqual(["a would start: x (variables of the file .env)"]);
  });

  test("shows both ends of a long value, and how much lies between", () => {
    const whole = "v".repeat(200);
    expect(lines({ program: { command: "x", env: { A: whole } } })).toEqual([`a would start: x (variables: A=${whole})`]);
    const long = `${"b".repeat(100)}${"m".repeat(50)}${"e".repeat(100)}`;
    expect(lines({ program: { command: "x", env: { A: long } } })).toEqual([
      `a would start: x (variables: A=${"b".repeat(100)} … (50 more) … ${"e".repeat(100)})`,
    ]);
  });
});
