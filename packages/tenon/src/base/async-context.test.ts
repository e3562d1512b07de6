/** What is going on right now, with and without help of the runtime. */
import { AsyncLocalStorage } from "node:async_hooks";
import { describe, expect, it } from "vitest";
import { createTrackedContext as createOnNode } from "../node/async-context.ts";
import { createTrackedContext } from "./async-context.ts";

describe.each([
  ["on Node", createOnNode],
  ["anywhere", createTrackedContext],
])("%s", (where, create) => {
  it("is known before the first await, the innermost counts, and nothing is left behind, whatever the work does", () => {
    const context = create<string>();
    const seen: unknown[] = [];
    const look = (): unknown => seen.push(context.current);
    look();
    void context.run("a", () => {
      look();
      void context.run("b", look);
      expect(() =>
        context.run("c", () => {
          look();
          throw new Error("c");
        }),
      ).toThrow("c");
      look();
    });
    look();
    expect(seen).toEqual([undefined, "a", "b", "c", "a", undefined]);
  });

  it("gives back what the work gives", async () => {
    const context = create<string>();
    expect(context.run("a", () => 1)).toBe(1);
    await expect(context.run("a", () => Promise.resolve(2))).resolves.toBe(2);
    await expect(context.run("a", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  });

  it("is known after an await too if the runtime supports it, beside others, and is never wrong", async () => {
    const context = create<string>();
    const known = (name: string): string | undefined => (where === "on Node" ? name : undefined);
    const run = async (name: string): Promise<unknown[]> => {
      const seen: unknown[] = [];
      await context.run(name, async () => {
        for (let turn = 0; turn < 3; turn++) {
          await new Promise((resolve) => setImmediate(resolve));
          seen.push(context.current);
        }
      });
      return seen;
    };
    const outside = new Promise((resolve) => setImmediate(() => resolve(context.current)));
    expect(await Promise.all([run("a"), run("b"), outside])).toEqual([
      [known("a"), known("a"), known("a")],
      [known("b"), known("b"), known("b")],
      undefined,
    ]);
    expect(context.current).toBeUndefined();
  });
});

it("the runtime keeps track of nothing once nothing runs, and of other contexts as before", async () => {
  const context = createOnNode<string>();
  const other = new AsyncLocalStorage<number>();
  const seen: unknown[] = [];
  await other.run(1, async () => {
    await context.run("a", async () => {
      await Promise.resolve();
      seen.push(other.getStore(), context.current);
    });
    seen.push(other.getStore(), context.current);
  });
  expect(seen).toEqual([1, "a", 1, undefined]);
});
