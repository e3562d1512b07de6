// Stacks on stderr show the author's frames.
import { expect, test } from "vitest";
import { usersStack } from "./users-stack.ts";

const here = new URL("../../server/features/call-tool.ts", import.meta.url).href;

test("a stack keeps the frames of the author, without Tenon's and Node's [s13]", () => {
  const error = Object.assign(new Error("No"), {
    stack: `Error: No\n    at handler (/app/server.ts:7:9)\n    at callTool (${here}:86:3)\n    at process (node:internal/process/task_queues:103:5)`,
  });
  expect(usersStack(error)).toBe("Error: No\n    at handler (/app/server.ts:7:9)");
});

test("a stack of Tenon's frames alone stays whole", () => {
  const stack = `Error: No\n    at callTool (${here}:86:3)`;
  expect(usersStack(Object.assign(new Error("No"), { stack }))).toBe(stack);
});
