import { describe, expect, it } from "vitest";
import { Late } from "./late.ts";

describe("what is loaded late", () => {
  it("is loaded once for all who come meanwhile, and is there at once afterwards", async () => {
    let loads = 0;
    const late = new Late(() => Promise.resolve({ load: ++loads }));
    expect([late.loaded, loads]).toEqual([undefined, 0]);
    const [first, second] = [late.get(), late.get()];
    expect(first).toBe(second);
    const value = await first;
    expect([late.get(), late.loaded]).toEqual([value, value]);
    expect(loads).toBe(1);
  });

  it("needs no promise if loading needs none", () => {
    const late = new Late(() => ["here"]);
    expect(late.get()).toEqual(["here"]);
    expect(late.get()).toBe(late.loaded);
  });

  it("callers that waited come before callers that find it loaded", async () => {
    const order: string[] = [];
    const late = new Late(() => Promise.resolve({}));
    const use = (name: string): void => {
      const value = late.get();
      if (value instanceof Promise) void value.then(() => order.push(name));
      else order.push(name);
    };
    for (let n = 1; n <= 5; n++) {
      use(`${n}`);
      await Promise.resolve();
    }
    expect(order).toEqual(["1", "2", "3", "4", "5"]);
  });

  it("is tried again after a failure, which rejects every waiting caller", async () => {
    const outcomes = [Promise.reject(new Error("gone")), Promise.resolve("back")];
    const late = new Late(() => outcomes.shift()!);
    const both = await Promise.allSettled([late.get(), late.get()]);
    expect(both).toMatchObject([{ reason: { message: "gone" } }, { reason: { message: "gone" } }]);
    expect(late.loaded).toBeUndefined();
    await expect(late.get()).resolves.toBe("back");
    expect(late.get()).toBe("back");
  });
});
