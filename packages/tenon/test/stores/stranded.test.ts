/** A connection that carries nothing any more and does not end, as behind a firewall that forgot it, is found and replaced. */
import { describe, test } from "vitest";
import { Link } from "../support/link.ts";
import { assertStarted, startEngine } from "./engines.ts";

/** Milliseconds to notice, at most 15 000 with Redis and PostgreSQL and 30 000 with NATS, and room for a busy machine. */
const WAIT = { interval: 250, timeout: 120_000 };

describe.concurrent.each(["redis", "postgres", "nats"] as const)("%s", (name) => {
  test("a node whose connections were forgotten learns of missed messages, hears the next, and is served", async (context) => {
    const { expect, onTestFinished } = context; // those of a test that runs beside others
    const engine = assertStarted(await startEngine(name), name, context);
    onTestFinished(() => engine.stop());
    const url = new URL(engine.url);
    const link = await Link.to(Number(url.port));
    onTestFinished(() => link.close());
    url.port = String(link.port);
    const [here, there] = [engine.stores("stranded", { url: url.href }), engine.stores("stranded")];
    onTestFinished(async () => void (await Promise.all([here.close(), there.close()])));

    const heard: string[] = [];
    let gaps = 0;
    here.bus.onGap(() => void gaps++);
    await here.bus.subscribe("topic", (message) => heard.push(message));
    await here.keyed.swap("one", undefined, { value: "value", ms: 600_000 });
    await there.bus.publish("topic", "before");
    await expect.poll(() => heard, WAIT).toEqual(["before"]);

    link.strand();
    await there.bus.publish("topic", "lost");
    await expect.poll(() => gaps, WAIT).toBeGreaterThan(0);
    const hears = async (): Promise<boolean> => {
      await there.bus.publish("topic", "after");
      return heard.includes("after");
    };
    await expect.poll(hears, WAIT).toBe(true);
    const value = async (): Promise<unknown> => (await attempt(async () => here.keyed.read("one")))?.value;
    await expect.poll(value, WAIT).toBe("value");
    expect(heard).not.toContain("lost");
  });
});

const attempt = <T>(work: () => Promise<T>): Promise<T | undefined> => work().catch(() => undefined);
