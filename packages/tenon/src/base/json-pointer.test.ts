import { describe, expect, it } from "vitest";
import { atPointer, pointerStep, pointerSteps, targetOf } from "./json-pointer.ts";

const document = { $defs: { "a/b": 1, "m~n": 2, "c%": 3, Straße: 4, list: ["x", { y: 5 }] }, own: null };

describe("a reference in a document", () => {
  it.each([
    ["#", document],
    ["#/$defs/a~1b", 1],
    ["#/$defs/a%2Fb", 1],
    ["#/$defs/a%7E1b", 1], // escapes of URLs come first
    ["#/$defs/m~0n", 2],
    ["#/$defs/c%", 3],
    ["#/$defs/Stra%C3%9Fe", 4],
    ["#/$defs/list/0", "x"],
    ["#/$defs/list/1/y", 5],
    ["#/own", null],
  ])("%s leads to what is there", (reference, value) => {
    expect(targetOf(document, reference)).toBe(value);
  });

  it.each([
    "#anchor",
    "other.json#/own",
    "#/nothing",
    "#/constructor",
    "#/$defs/list/length",
    "#/$defs/list/2",
    "#/own/x",
    7,
    undefined,
  ])("%s leads nowhere", (reference) => {
    expect(targetOf(document, reference)).toBeUndefined();
  });
});

it("reads the steps that it writes", () => {
  for (const key of ["a/b", "~1", "m~n", ""]) {
    expect(pointerSteps(`/${pointerStep(key)}`)).toEqual([key]);
    expect(atPointer({ [key]: 1 }, `/${pointerStep(key)}`)).toBe(1);
  }
});
