// Stacks on stderr show the author's frames.
import { expect, test } from "vitest";
import { usersStack, withUsersStack } from "./users-stack.ts";

const here = new URL("../../server/features/call-tool.ts", import.meta.url).href;

test("a stack keeps the frames of the author, without Tenon's and Node's [s13]", () => {
  const error = Object.assign(new Error("No"), {
    stack:
      `Error: No\n    at handler (/app/server.ts:7:9)\n    at callTool (${here}:86:3)\n` +
      "    at process (node:internal/process/task_queues:103:5)",
  });
  expect(usersStack(error)).toBe("Error: No\n    at handler (/app/server.ts:7:9)");
});

test("a stack of Tenon's frames alone stays whole", () => {
  const stack = `Error: No\n    at callTool (${here}:86:3)`;
  expect(usersStack(Object.assign(new Error("No"), { stack }))).toBe(stack);
});

test("an error for the console keeps its kind, its members and its reason, each with the author's frames [s13]", () => {
  const frames = (name: string): string => `${name}\n    at handler (/app/server.ts:7:9)\n    at callTool (${here}:86:3)`;
  const cause = Object.assign(new Error("Down"), { stack: frames("Error: Down") });
  const error = Object.assign(new TypeError("No", { cause }), { code: "E_NO", stack: frames("TypeError: No") });
  const shown = withUsersStack(error);
  expect(shown).toBeInstanceOf(TypeError);
  expect(shown).toMatchObject({ message: "No", code: "E_NO" });
  expect([shown.stack, (shown.cause as Error).stack]).toEqual([
    "TypeError: No\n    at handler (/app/server.ts:7:9)",
    "Error: Down\n    at handler (/app/server.ts:7:9)",
  ]);
  expect(error.stack).toBe(frames("TypeError: No")); // it is what others see
});
