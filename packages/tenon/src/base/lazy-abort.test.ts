import { expect, it } from "vitest";
import { addAbortListener, onAbort, removeAbortListener, unlessAborted } from "./abort.ts";
import { LazyAbort } from "./lazy-abort.ts";

it("aborts its listeners and its signal with the first reason, once", () => {
  const abort = new LazyAbort();
  const told: unknown[] = [];
  onAbort(abort, () => told.push(abort.reason));
  abort.signal.addEventListener("abort", () => told.push(abort.signal.reason));
  expect([abort.aborted, abort.reason, abort.signal.aborted]).toEqual([false, undefined, false]);
  abort.throwIfAborted();
  abort.abort("first");
  abort.abort("second");
  onAbort(abort, () => told.push("too late"));
  expect(told).toEqual(["first", "first"]);
  expect(abort.aborted).toBe(true);
  expect(() => abort.throwIfAborted()).toThrow("first");
});

it("a signal that is read after the abort has aborted, with the reason of a signal if none was given", () => {
  const abort = new LazyAbort();
  abort.abort();
  expect(abort.signal.aborted).toBe(true);
  expect(abort.signal.reason).toBe(abort.reason);
  expect(abort.reason).toMatchObject({ name: "AbortError" });
});

it("a listener that was removed is not called, not even by the one before it", () => {
  const abort = new LazyAbort();
  const told: string[] = [];
  const last = { handleEvent: () => void told.push("last") };
  onAbort(abort, () => {
    told.push("first");
    removeAbortListener(abort, last);
  });
  onAbort(abort, () => void told.push("gone"))();
  addAbortListener(abort, last);
  abort.abort();
  expect(told).toEqual(["first"]);
});

it("work is given up when it aborts", async () => {
  const abort = new LazyAbort();
  const given = unlessAborted(new Promise<never>(() => undefined), abort);
  abort.abort(new Error("enough"));
  await expect(given).rejects.toThrow("enough");
});
