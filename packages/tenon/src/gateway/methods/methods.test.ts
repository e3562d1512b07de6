/** Members of params that a server could take for others. */
import { expect, it } from "vitest";
import { assertExactMembers } from "./methods.ts";

it.each([
  "Name",
  "NAME",
  "ARGUMENTS",
  "Uri",
  "_META",
  "requeststate",
  "inputresponses",
  "Cursor",
  "ta\u017Fk",
  "tas\u212A",
  "ｎame",
  "taskid",
])("refuses %j, which a reader that ignores case takes for another member", (member) => {
  const refused = { code: -32602, data: { member } };
  expect(() => assertExactMembers({ name: "a", [member]: "b" })).toThrow(expect.objectContaining(refused) as Error);
  expect(() => assertExactMembers({ ref: { type: "ref/prompt", [member]: "b" } })).toThrow(
    expect.objectContaining(refused) as Error,
  );
});

it("says which member it is like", () => {
  expect(() => assertExactMembers({ URI: "a" })).toThrow('The member "URI" of the params differs from "uri" by case only');
});

it.each([
  "_meta",
  "name",
  "arguments",
  "uri",
  "ref",
  "argument",
  "context",
  "cursor",
  "level",
  "task",
  "taskId",
  "inputResponses",
  "requestState",
])("lets %s pass as it is written", (member) => expect(() => assertExactMembers({ [member]: "x" })).not.toThrow());

it("lets other members pass, and all that is deeper", () => {
  expect(() =>
    assertExactMembers({ own: 1, names: 2, arguments: { Name: "x", URI: "y" }, "name ": 3, __proto__: null }),
  ).not.toThrow();
});
