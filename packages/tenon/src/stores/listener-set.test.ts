import { expect, test } from "vitest";
import { ListenerSet } from "./listener-set.ts";

/** A set whose channel fails to open, and to close, with errors that are kept. */
function failing({ isClosed }: { isClosed: boolean }): { set: ListenerSet; errors: unknown[]; end: () => void } {
  const errors: unknown[] = [];
  let closed = false;
  const fail = (): Promise<never> => {
    closed = isClosed;
    return Promise.reject(new Error("no connection"));
  };
  const set = new ListenerSet({ open: fail, close: fail, isClosed: () => closed, onError: (error) => errors.push(error) });
  return { set, errors, end: set.add(() => undefined) };
}

test("a channel that cannot be opened, or closed, is reported", async () => {
  const { set, errors, end } = failing({ isClosed: false });
  await set.ready;
  end();
  await set.ready;
  expect(errors).toEqual([new Error("no connection"), new Error("no connection")]);
});

test("nothing is reported of a connection that was closed for good meanwhile: its end was wanted", async () => {
  const { set, errors, end } = failing({ isClosed: true });
  await set.ready;
  end();
  await set.ready;
  expect(errors).toEqual([]);
});
