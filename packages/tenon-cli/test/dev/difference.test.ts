// What `tenon dev` says of a change of the definition: what it means to clients that worked before.
import { expect, test } from "vitest";
import type { Definition } from "../../src/dev/definition.ts";
import { differenceBetween, NO_DIFFERENCE } from "../../src/dev/page/difference.ts";

type Schema = Record<string, unknown>;

const object = (properties: Schema, required: string[] = [], more: Schema = {}): Schema => ({
  type: "object",
  properties,
  required,
  ...more,
});

function definition(parts: object): Definition {
  const empty = {
    serverInfo: { name: "shop", version: "1" },
    capabilities: {},
    tools: [],
    prompts: [],
    resources: [],
    resourceTemplates: [],
  };
  return { ...empty, ...parts } as unknown as Definition;
}

const tool = (parts: object): Definition => definition({ tools: [{ name: "book", inputSchema: object({}), ...parts }] });

/** Each change as "what meaning". */
function changes(before: Definition, after: Definition): string[] {
  return differenceBetween(before, after).changes.map(({ sign, kind, name, what, meaning }) =>
    [sign, kind, name, what, meaning].filter((part) => part !== "").join(" "),
  );
}

const string = { type: "string" };
const number = { type: "number" };

test.each([
  [
    "a type that changes",
    object({ a: number }),
    object({ a: string }),
    "input.a number → string breaking",
    "output.a number → string breaking",
  ],
  [
    "a type that grows",
    object({ a: { type: "integer" } }),
    object({ a: number }),
    "input.a integer → number compatible",
    "output.a integer → number breaking",
  ],
  [
    "a new required member",
    object({}),
    object({ a: string }, ["a"]),
    "input.a new, required breaking",
    "output.a new, required compatible",
  ],
  [
    "a new optional member",
    object({}),
    object({ a: string }),
    "input.a new, optional compatible",
    "output.a new, optional compatible",
  ],
  [
    "a member that becomes required",
    object({ a: string }),
    object({ a: string }, ["a"]),
    "input.a required now breaking",
    "output.a required now compatible",
  ],
  [
    "a member that becomes optional",
    object({ a: string }, ["a"]),
    object({ a: string }),
    "input.a optional now compatible",
    "output.a optional now breaking",
  ],
  ["a member that is gone", object({ a: string }), object({}), "input.a gone compatible", "output.a gone breaking"],
  [
    "a choice that is gone",
    object({ a: { enum: ["x", "y"] } }),
    object({ a: { enum: ["x"] } }),
    'input.a "x" | "y" → "x" breaking',
    'output.a "x" | "y" → "x" compatible',
  ],
  [
    "a choice that is new",
    object({ a: { const: "x" } }),
    object({ a: { enum: ["x", "y"] } }),
    'input.a "x" → "x" | "y" compatible',
    'output.a "x" → "x" | "y" breaking',
  ],
  [
    "a bound that narrows",
    object({ a: { maximum: 9 } }),
    object({ a: { maximum: 5 } }),
    "input.a maximum 9 → 5 breaking",
    "output.a maximum 9 → 5 compatible",
  ],
  [
    "a bound that widens",
    object({ a: { minLength: 2 } }),
    object({ a: {} }),
    "input.a minLength 2 → none compatible",
    "output.a minLength 2 → none breaking",
  ],
  [
    "items that change",
    object({ a: { items: number } }),
    object({ a: { items: string } }),
    "input.a[] number → string breaking",
    "output.a[] number → string breaking",
  ],
  [
    "a keyword that is not compared",
    object({ a: { pattern: "x" } }),
    object({ a: { pattern: "y" } }),
    "input.a pattern changed breaking",
    "output.a pattern changed breaking",
  ],
  [
    "a description",
    object({ a: { description: "x" } }),
    object({ a: { description: "y" } }),
    "input.a text changed text",
    "output.a text changed text",
  ],
])("%s means the opposite for what a server takes and what it returns", (_title, before, after, asInput, asOutput) => {
  expect(changes(tool({ inputSchema: before }), tool({ inputSchema: after }))).toEqual([`~ tool book ${asInput}`]);
  expect(changes(tool({ outputSchema: before }), tool({ outputSchema: after }))).toEqual([`~ tool book ${asOutput}`]);
});

test("a member that is gone breaks callers of a tool that refuses other members", () => {
  const after = object({}, [], { additionalProperties: false });
  const before = object({ a: string }, [], { additionalProperties: false });
  expect(changes(tool({ inputSchema: before }), tool({ inputSchema: after }))).toEqual(["~ tool book input.a gone breaking"]);
});

test("entries are new, gone or changed, by name and URI", () => {
  const before = definition({
    tools: [{ name: "book", inputSchema: object({}) }],
    prompts: [{ name: "greet", arguments: [{ name: "who" }] }],
    resources: [{ name: "today", uri: "note://today" }],
  });
  const after = definition({
    tools: [{ name: "refund", inputSchema: object({}) }],
    prompts: [{ name: "greet", arguments: [{ name: "who", required: true }] }],
    resources: [{ name: "today", uri: "note://today", title: "Today" }],
    resourceTemplates: [{ name: "day", uriTemplate: "note://{day}" }],
  });
  expect(changes(before, after)).toEqual([
    "+ tool refund compatible",
    "- tool book breaking",
    "~ prompt greet arguments.who required now breaking",
    "~ resource note://today title changed text",
    "+ template note://{day} compatible",
  ]);
  const { lists, resources } = differenceBetween(before, after);
  expect({ lists, resources }).toEqual({ lists: ["tools", "prompts", "resources"], resources: ["note://today"] });
});

test("a new output schema breaks no client, and one that is gone does", () => {
  const typed = tool({ outputSchema: object({ a: string }) });
  expect(changes(tool({}), typed)).toEqual(["~ tool book output new compatible"]);
  expect(changes(typed, tool({}))).toEqual(["~ tool book output gone breaking"]);
});

test("text of a tool and of the server is no breach", () => {
  expect(changes(tool({}), tool({ title: "Book", description: "Books" }))).toEqual([
    "~ tool book title, description changed text",
  ]);
  expect(changes(definition({}), definition({ instructions: "Be brief." }))).toEqual([
    "~ server instructions changed compatible",
  ]);
});

test("the same definition has no difference, whatever the order of its members", () => {
  const before = tool({ inputSchema: object({ a: string, b: number }) });
  const after = definition({ tools: [{ inputSchema: object({ b: number, a: string }), name: "book" }] });
  expect(differenceBetween(before, after)).toEqual(NO_DIFFERENCE);
});
