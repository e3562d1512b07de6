/** The time limit of a store bounds the engine, not the packages that are loaded from disk before the first connection. */
import { expect, onTestFinished, test, vi } from "vitest";
import { redisStores } from "tenon/stores/redis";

const TIMEOUT = 20;

vi.mock("redis", async () => {
  await new Promise((resolve) => setTimeout(resolve, 5 * TIMEOUT)); // timers fire in order: the limit is over by then
  const client = {
    isReady: true,
    on: () => client,
    connect: async () => undefined,
    sendCommand: async () => "aof_enabled:1",
    close: async () => undefined,
    destroy: () => undefined,
  };
  return { createClient: () => client };
});

test("the package of an engine may take longer to load than the engine may take to respond", async () => {
  const stores = redisStores({ url: "redis://127.0.0.1:1", timeout: TIMEOUT });
  onTestFinished(() => stores.close());
  await expect(stores.ready()).resolves.toBeUndefined();
});
