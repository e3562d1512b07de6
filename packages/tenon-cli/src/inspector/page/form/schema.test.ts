/** The first values of the fields of a form. */
import { expect, test } from "vitest";
import { initial } from "./schema.ts";

test("first values are found for required fields, as far as the schema says them", () => {
  const schema = {
    type: "object",
    properties: { kind: { const: "a" }, at: { type: "array", minItems: 2, items: { default: 1 } }, more: { default: 2 } },
    required: ["kind", "at"],
  };
  expect(initial(schema, schema, true)).toEqual({ kind: "a", at: [1, 1], more: 2 });
});

test("parts that refer to each other in more ways than can be followed take no longer than few", () => {
  const names = Array.from({ length: 20 }, (_, index) => `p${index}`);
  const part = (level: number): object => ({
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${level + 1}` }])),
    required: names,
  });
  const steep = { $ref: "#/$defs/0", $defs: Object.fromEntries(Array.from({ length: 10 }, (_, level) => [level, part(level)])) };
  expect(initial(steep, steep, true)).toBeTypeOf("object");
});
