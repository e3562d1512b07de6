import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { CleanUp } from "./clean-up.ts";
import { gate } from "../../../test/support/gate.ts";

const never = (error: unknown): never => expect.unreachable(String(error));

test("nothing is kept of what has been closed, however often there was something to close [rule R5]", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const cleanUp = new CleanUp(never);
  const closed: WeakRef<object>[] = [];
  for (let n = 0; n < 100; n++) {
    const connection = { n };
    closed.push(new WeakRef(connection));
    cleanUp.add(Promise.resolve(connection));
    await cleanUp.done();
  }
  await new Promise(setImmediate);
  collectGarbage();
  expect(closed.filter((connection) => connection.deref() !== undefined).length).toBeLessThan(3);
});

test("it waits for everything, in whatever order it ends, and tells of what failed", async () => {
  const told: unknown[] = [];
  const cleanUp = new CleanUp((error) => told.push(error));
  const ended: string[] = [];
  const { opened, open: end } = gate();
  const slow = opened.then(() => void ended.push("slow"));
  cleanUp.add(slow);
  cleanUp.add(Promise.reject(new Error("first")));
  const done = cleanUp.done().then(() => ended.push("done"));
  await new Promise(setImmediate);
  expect(ended).toEqual([]);
  end();
  await done;
  expect(ended).toEqual(["slow", "done"]);
  expect(told).toEqual([new Error("first")]);
  cleanUp.keepErrors();
  cleanUp.add(Promise.reject(new Error("second")));
  await expect(cleanUp.end()).rejects.toThrow("second");
  expect(told).toHaveLength(1);
});
