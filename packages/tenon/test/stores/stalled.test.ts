/**
 * An engine that does not respond, and is not gone: writes fail in time with an unknown outcome, and repeating them is harmless.
 */
import { expect, onTestFinished, test, type TestContext } from "vitest";
import { StoreUnavailableError } from "tenon/stores/redis";
import { Link } from "../support/link.ts";
import { assertStarted, startEngine } from "./engines.ts";

const LONG = 600_000;

test.for(["redis", "postgres", "nats"] as const)(
  "%s that responds to nothing: writes fail with an unknown outcome, and are there once when they are repeated [X6]",
  async (name, context: TestContext) => {
    const engine = assertStarted(await startEngine(name), name, context);
    onTestFinished(() => engine.stop());
    const url = new URL(engine.url);
    const link = await Link.to(Number(url.port));
    onTestFinished(() => link.close());
    url.port = String(link.port);
    const stores = engine.stores("stalled", { url: url.href, timeout: 3_000 });
    onTestFinished(() => stores.close());
    const other = engine.stores("stalled");
    onTestFinished(() => other.close());
    const { keyed, events } = stores;
    const at = { session: "session", stream: "stream" };
    await events.open(at, { writer: "a", ms: LONG });
    expect(await keyed.join("set", "first", { ms: LONG, max: 2 })).toBe(true);

    const append = async (): Promise<unknown> => events.append(at, { writer: "a", first: 1, data: ["1", "2"], ms: LONG });
    const join = async (): Promise<unknown> => keyed.join("set", "second", { ms: LONG, max: 2 });
    const next = async (): Promise<unknown> => keyed.next("counter", 5);
    link.cut();
    const failures = await Promise.all([append, join, next].map((work) => work().catch((error: unknown) => error)));
    for (const failure of failures) expect(failure).toBeInstanceOf(StoreUnavailableError);
    expect(failures).toContainEqual(expect.objectContaining({ delivery: "unknown" }));
    link.mend();

    const settled = (work: () => Promise<unknown>): Promise<unknown> => work().catch(() => "away");
    await expect.poll(() => settled(append), { timeout: 60_000 }).toBe("kept");
    await expect.poll(() => settled(join), { timeout: 60_000 }).toBe(true);
    await expect.poll(() => settled(next), { timeout: 60_000 }).toBeGreaterThanOrEqual(5);
    expect(await other.events.read(at, 0, 9)).toMatchObject({ last: 2, events: [{ data: "1" }, { data: "2" }] });
    expect(await other.keyed.join("set", "third", { ms: LONG, max: 2 })).toBe(false);
    expect(await other.keyed.join("set", "third", { ms: LONG, max: 3 })).toBe(true);
  },
);
