/** What only the direct pair promises: delivery inside the call, without a single wait. */
import { describe, expect, it } from "vitest";
import { createDirectPair } from "./direct-dispatcher.ts";

describe("direct pair", () => {
  it("delivers inside the sending call; a handler that returns at once responds before request returns [DI-09]", async () => {
    const order: string[] = [];
    const [client, server] = createDirectPair();
    void client.run(
      (request) => request.encode({}),
      () => undefined,
    );
    void server.run(
      (request) => {
        order.push("handler");
        return request.encode({ ok: true });
      },
      () => void order.push("notified"),
    );
    void client.notify("n");
    const call = client.request("m").then(() => order.push("settled"));
    order.push("returned");
    await call;
    expect(order).toEqual(["notified", "handler", "returned", "settled"]);
  });

  it("what is served is served until either side closes", async () => {
    for (const closer of [0, 1]) {
      const pair = createDirectPair();
      let ended = 0;
      const runs = pair.map((one) =>
        one.run(
          (request) => request.encode({}),
          () => undefined,
        ),
      );
      for (const run of runs) void run.then(() => ended++);
      await pair[0].request("m");
      expect(ended).toBe(0);
      await pair[closer]!.close();
      await Promise.all(runs);
      expect(ended).toBe(2);
    }
  });

  it("two peers whose handlers call each other without end reach the limit, not the end of the stack [T8]", async () => {
    const errors: Error[] = [];
    const [client, server] = createDirectPair(
      { onError: (error) => void errors.push(error) },
      { onError: (error) => void errors.push(error) },
    );
    let deepest = 0;
    void client.run(
      (request) => server.request("m", { depth: (request.params!["depth"] as number) + 1 }),
      () => undefined,
    );
    void server.run(
      (request) => {
        deepest = Math.max(deepest, request.params!["depth"] as number);
        return request.request("m", request.params);
      },
      () => undefined,
    );
    await expect(client.request("m", { depth: 0 })).rejects.toBeDefined();
    expect(errors).toEqual([]);
    expect(deepest).toBeLessThanOrEqual(256);
  });

  it("a result that is not an object is an internal error to the client, and is reported with what it must be", async () => {
    const errors: string[] = [];
    const [client, server] = createDirectPair({}, { onError: ({ message }) => errors.push(message) });
    void server.run(
      () => [] as never,
      () => undefined,
    );
    void client.run(
      () => ({}),
      () => undefined,
    );
    await expect(client.request("m")).rejects.toMatchObject({ code: -32603, message: "Internal error" });
    expect(errors).toEqual(["A result must be an object"]);
    await client.close();
  });
});
