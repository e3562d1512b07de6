/** The stores that workers share pass the published checks, over messages as Node sends them. */
import { deserialize, serialize } from "node:v8";
import { describe, expect, test } from "vitest";
import { authStoreChecks, busChecks, eventLogChecks, keyedStoreChecks, stateStoreChecks, taskStoreChecks } from "tenon/testing";
import type { FromWorker, ToWorker } from "../../src/node/workers/messages.ts";
import { PrimaryStores } from "../../src/node/workers/primary-stores.ts";
import { StoreChannel } from "../../src/node/workers/store-channel.ts";
import { workerStores, type WorkerStores } from "../../src/node/workers/worker-stores.ts";

/** A worker of `primary`. Messages are copied as between processes, and arrive in a later turn. */
function worker(primary: PrimaryStores): { readonly stores: WorkerStores; readonly end: () => void } {
  const copied = <T>(message: T): T => deserialize(serialize(message)) as T;
  const receive = (message: ToWorker): void => void setImmediate(() => channel.received(copied(message)));
  const calls = primary.forWorker((topic, message) => receive({ kind: "tell", topic, message }));
  const channel = new StoreChannel((sent: FromWorker) => {
    const message = copied(sent);
    if (message.kind !== "calls") return;
    setImmediate(() => {
      for (const call of message.calls)
        void calls.run(call).then((outcome) => receive({ kind: "outcomes", outcomes: [outcome] }));
    });
  });
  return { stores: workerStores(channel, () => undefined), end: () => calls.end() };
}

const primary = (): PrimaryStores => new PrimaryStores(() => undefined);

describe("The stores of a worker", () => {
  const stores = (): WorkerStores => worker(primary()).stores;

  test.each(stateStoreChecks)("states: $name", ({ run }) => expect(run(stores().states)).resolves.toBeUndefined());
  test.each(authStoreChecks)("logins: $name", ({ run }) => expect(run(stores().logins)).resolves.toBeUndefined());
  test.each(keyedStoreChecks)("keyed: $name", ({ run }) => expect(run(stores().keyed)).resolves.toBeUndefined());
  test.each(eventLogChecks)("events: $name", ({ run }) => expect(run(stores().events)).resolves.toBeUndefined());
  test.each(taskStoreChecks)("tasks: $name", ({ run }) => expect(run(stores().tasks)).resolves.toBeUndefined());
  test.each(busChecks)("bus between two workers: $name", ({ run }) => {
    const shared = primary();
    return expect(run(worker(shared).stores.bus, worker(shared).stores.bus)).resolves.toBeUndefined();
  });
});

test("a worker that has ended holds no lock any more", async () => {
  const shared = primary();
  const [first, second] = [worker(shared), worker(shared)];
  await new Promise<void>((resolve) => {
    void first.stores.logins.lock("key", () => (resolve(), new Promise(() => undefined)));
  });
  const waiting = second.stores.logins.lock("key", async () => "got it");
  first.end();
  expect(await waiting).toBe("got it");
});

test("a call of a store or a method that workers do not have is refused", async () => {
  const calls = primary().forWorker(() => undefined);
  const [, isOk, value] = await calls.run([1, "keyed", "constructor", []]);
  expect([isOk, value]).toEqual([false, { name: "TypeError", message: 'The store "keyed" has no method "constructor"' }]);
});
