/**
 * What the stores have made in an engine is deleted under them: calls fail by name, and then go on with empty stores, without a
 * restart.
 */
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import pg from "pg";
import { createClient } from "redis";
import { expect, onTestFinished, test, type TestContext } from "vitest";
import { assertStarted, startEngine, type Engine } from "./engines.ts";

const LONG = 600_000;

/** Deletes all that the stores of a space have made. */
const EMPTY: Record<"redis" | "postgres" | "nats", (engine: Engine, space: string) => Promise<void>> = {
  async redis({ url }) {
    const client = await createClient({ url }).connect();
    await client.flushAll();
    await client.scriptFlush();
    client.destroy();
  },
  async postgres({ url }, space) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`drop schema ${space} cascade`);
    await client.end();
  },
  async nats({ url }, space) {
    const connection = await connect({ servers: url });
    const { streams } = await jetstreamManager(connection);
    for (const name of ["keyed", "events"]) await streams.delete(`${space}-${name}`);
    await connection.close();
  },
};

test.for(["redis", "postgres", "nats"] as const)(
  "%s that was emptied is used again, without a restart [X6]",
  async (name, context: TestContext) => {
    const engine = assertStarted(await startEngine(name), name, context);
    onTestFinished(() => engine.stop());
    const stores = engine.stores("emptied");
    const { keyed, events, bus } = stores;
    onTestFinished(() => stores.close());
    const at = { session: "session", stream: "stream" };
    await keyed.swap("one", undefined, { value: "value", ms: LONG });
    await events.open(at, { writer: "a", ms: LONG });
    const heard: string[] = [];
    await bus.subscribe("topic", (message) => heard.push(message));
    await EMPTY[name](engine, "emptied");
    const failures: unknown[] = [];
    const attempt = async (work: () => unknown): Promise<unknown> => {
      try {
        return await work();
      } catch (error) {
        failures.push(error);
        return error;
      }
    };
    await expect
      .poll(() => attempt(() => keyed.swap("two", undefined, { value: "value", ms: LONG })), { timeout: 60_000 })
      .toBeTypeOf("string");
    await expect.poll(() => attempt(() => events.open(at, { writer: "b", ms: LONG })), { timeout: 60_000 }).toBe("opened");
    expect(await keyed.read("one")).toBeUndefined();
    expect(await keyed.join("set", "member", { ms: LONG, max: 1 })).toBe(true);
    await bus.publish("topic", "after");
    await expect.poll(() => heard, { timeout: 60_000 }).toEqual(["after"]);
    for (const failure of failures) expect(failure).toMatchObject({ code: -32603, data: { reason: "storeUnavailable" } });
  },
);
