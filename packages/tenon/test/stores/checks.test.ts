/** Every store of every engine passes the published checks, and so do the stores in memory. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test, type TestContext } from "vitest";
import { MemoryStore } from "tenon/auth";
import { MemoryStateStore } from "tenon/server";
import { memoryStores } from "tenon/stores/memory";
import type { Stores } from "tenon/stores/redis";
import { authStoreChecks, busChecks, eventLogChecks, keyedStoreChecks, stateStoreChecks, taskStoreChecks } from "tenon/testing";
import { assertStarted, ENGINES, startEngine, type Engine } from "./engines.ts";

describe("In memory", () => {
  test.each(stateStoreChecks)("states: $name", ({ run }) => expect(run(new MemoryStateStore())).resolves.toBeUndefined());
  test.each(stateStoreChecks)("states with little room: $name", ({ run }) =>
    expect(run(new MemoryStateStore({ maxSize: 150_000, maxClaims: 50 }))).resolves.toBeUndefined(),
  );
  test.each(authStoreChecks)("logins: $name", ({ run }) => expect(run(new MemoryStore())).resolves.toBeUndefined());
  test.each(keyedStoreChecks)("keyed: $name", ({ run }) => expect(run(memoryStores().keyed)).resolves.toBeUndefined());
  test.each(eventLogChecks)("events: $name", ({ run }) => expect(run(memoryStores().events)).resolves.toBeUndefined());
  test.each(busChecks)("bus: $name", ({ run }) => {
    const { bus } = memoryStores({ onError: () => undefined });
    return expect(run(bus, bus)).resolves.toBeUndefined();
  });
});

describe.each(ENGINES)("%s", (name) => {
  let engine: Engine | undefined;
  let spaces = 0;
  beforeAll(async () => void (engine = await startEngine(name)));
  afterAll(() => engine?.stop());

  function stores(context: TestContext, loginKey?: Uint8Array): Stores {
    const made = assertStarted(engine, name, context).stores(`space_${++spaces}`, loginKey && { loginKey });
    onTestFinished(() => made.close());
    return made;
  }

  test("a name that is a word of SQL is one like any other", async (context) => {
    const named = (): Stores => {
      const made = assertStarted(engine, name, context).stores("full");
      onTestFinished(() => made.close());
      return made;
    };
    const { tasks, states, keyed, events, bus } = named();
    await taskStoreChecks[0]!.run(tasks);
    await stateStoreChecks[0]!.run(states);
    await keyedStoreChecks[0]!.run(keyed);
    await eventLogChecks[0]!.run(events);
    await busChecks[0]!.run(bus, named().bus);
  });
  test.for(taskStoreChecks)("tasks: $name", ({ run }, context) => expect(run(stores(context).tasks)).resolves.toBeUndefined());
  test.for(stateStoreChecks)("states: $name", ({ run }, context) => expect(run(stores(context).states)).resolves.toBeUndefined());
  test.for(keyedStoreChecks)("keyed: $name", ({ run }, context) => expect(run(stores(context).keyed)).resolves.toBeUndefined());
  test.for(eventLogChecks)("events: $name", ({ run }, context) => expect(run(stores(context).events)).resolves.toBeUndefined());
  test.for(busChecks)("bus: $name", ({ run }, context) => {
    const here = stores(context).bus;
    const there = engine!.stores(`space_${spaces}`);
    onTestFinished(() => there.close());
    return expect(run(here, there.bus)).resolves.toBeUndefined();
  });
  test.for(authStoreChecks)("logins: $name", ({ run }, context) => expect(run(stores(context).logins)).resolves.toBeUndefined());
  test.for(authStoreChecks)("sealed logins: $name", ({ run }, context) =>
    expect(run(stores(context, new Uint8Array(32).fill(7)).logins)).resolves.toBeUndefined(),
  );
});
