/** Cancelling and the end of the connection: held against both dispatchers. */
import { describe, expect, it } from "vitest";
import { connect, connectWaiting, failure, CLOSED, IDLE, PAIR_KINDS } from "../../test/support/dispatcher-pair.ts";
import { turn } from "../../test/support/virtual-clock.ts";
import { NoBackChannelError, type McpError } from "../jsonrpc/mcp-error.ts";
import type { InboundRequest, RawResult } from "./dispatcher.ts";

describe.each(PAIR_KINDS)("%s dispatcher", (kind) => {
  describe("cancelling", () => {
    it("an abort before the call sends nothing [XT-05 D6]", async () => {
      const { client, requests } = connectWaiting(kind);
      const reason = new Error("no");
      await expect(client.request("m", {}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      await turn();
      expect(requests).toEqual([]);
    });

    it("the caller gets its own reason, the handler its signal once, and no response is sent [CF-02 XT-08 D6]", async () => {
      const { client, clientErrors, requests, answers } = connectWaiting(kind);
      const abort = new AbortController();
      const reason = new TypeError("changed my mind");
      const call = client.request("m", {}, { signal: abort.signal });
      await turn();
      let fired = 0;
      requests[0]!.signal.addEventListener("abort", () => fired++);
      abort.abort(reason);
      await expect(call).rejects.toBe(reason);
      await turn();
      expect(fired).toBe(1);
      expect(requests[0]!.cancelled).toBe(true);
      expect((requests[0]!.signal.reason as Error).message).toContain("changed my mind");
      answers[0]!.resolve({ late: true });
      const next = client.request("next");
      await turn();
      answers[1]!.resolve({ next: true });
      await expect(next).resolves.toEqual({ next: true });
      expect(clientErrors).toEqual([]);
    });

    it("a cancel that a handler itself brings about, before it first waits, cancels it [D6]", async () => {
      const abort = new AbortController();
      let request: InboundRequest | undefined;
      const { client, clock } = connect(
        kind,
        async (inbound): Promise<RawResult> => {
          request = inbound;
          abort.abort("enough");
          await new Promise(() => undefined);
          return {};
        },
        { server: { limits: { handlerGrace: 100 } } },
      );
      await expect(client.request("m", {}, { signal: abort.signal })).rejects.toBe("enough");
      await turn();
      expect(request!.cancelled).toBe(true);
      expect(request!.signal.aborted).toBe(true);
      await clock.advance(100 + IDLE);
      expect(clock.pending).toBe(0);
    });

    it("reasons of any kind abandon a call [D6]", async () => {
      const { client, requests } = connectWaiting(kind);
      const proxy: object = Object.create(null) as object;
      for (const reason of [proxy, Symbol("s"), null, 5, ""]) {
        const abort = new AbortController();
        const call = client.request("m", {}, { signal: abort.signal });
        await turn();
        abort.abort(reason);
        await expect(call).rejects.toBe(reason);
        await turn();
        expect(requests.at(-1)!.cancelled).toBe(true);
      }
    });

    it("cancel, response and deadline in one tick, in every order: one outcome, and nothing unhandled [D7]", async () => {
      const orders = [
        ["cancel", "answer", "time"],
        ["cancel", "time", "answer"],
        ["answer", "cancel", "time"],
        ["answer", "time", "cancel"],
        ["time", "cancel", "answer"],
        ["time", "answer", "cancel"],
      ];
      for (const order of orders) {
        const { client, clock, answers, clientErrors } = connectWaiting(kind);
        const abort = new AbortController();
        const outcomes: unknown[] = [];
        client.request("m", {}, { signal: abort.signal, timeout: 100 }).then(
          (result) => outcomes.push(result),
          (reason: unknown) => outcomes.push(reason),
        );
        await turn();
        for (const step of order) {
          if (step === "cancel") abort.abort("cancelled");
          else if (step === "answer") answers[0]!.resolve({ answered: true });
          else await clock.advance(100);
        }
        await clock.advance(10_000);
        expect(outcomes).toHaveLength(1);
        expect(outcomes[0]).toEqual(
          order[0] === "cancel"
            ? "cancelled"
            : order[0] === "answer" && order[1] === "time"
              ? { answered: true }
              : expect.anything(),
        );
        expect(clientErrors).toEqual([]);
        expect(clock.pending).toBe(0);
      }
    });

    it("a call that must not be cancelled is abandoned in silence [CF-05 XT-04]", async () => {
      const { client, clock, requests } = connectWaiting(kind);
      const abort = new AbortController();
      const aborted = failure(client.request("initialize", {}, { signal: abort.signal, cancelOnAbandon: false }));
      const late = failure(client.request("initialize", {}, { timeout: 10, cancelOnAbandon: false }));
      await turn();
      abort.abort(new Error("enough"));
      await clock.advance(10);
      expect((await aborted).message).toBe("enough");
      expect(await late).toMatchObject({ code: -32001 });
      expect(requests.map(({ cancelled }) => cancelled)).toEqual([false, false]);
    });

    it("an id is free again once cancelled, and the old handler's end does not touch the new request [ID-05]", async () => {
      const { client, requests, answers } = connectWaiting(kind);
      const abort = new AbortController();
      const first = failure(client.request("first", {}, { signal: abort.signal, requestId: "same" }));
      await turn();
      abort.abort(new Error("enough"));
      await first;
      const second = client.request("second", {}, { requestId: "same" });
      await turn();
      answers[0]!.resolve({ of: "first" });
      await turn();
      expect(requests.map(({ requestId, cancelled }) => [requestId, cancelled])).toEqual([
        ["same", true],
        ["same", false],
      ]);
      answers[1]!.resolve({ of: "second" });
      await expect(second).resolves.toEqual({ of: "second" });
    });

    it("the request's own channel closes with it: calls fail, notifications are dropped [DI-03]", async () => {
      const notified: string[] = [];
      const { client, requests, answers } = connectWaiting(kind, { onNotification: (method) => void notified.push(method) });
      const call = client.request("m");
      await turn();
      await expect(requests[0]!.request("ping", {})).resolves.toEqual({ echo: {} });
      answers[0]!.resolve({});
      await call;
      expect(await failure(requests[0]!.request("ping"))).toBeInstanceOf(NoBackChannelError);
      await requests[0]!.notify("late");
      await turn();
      expect(notified).toEqual([]);
    });

    it("a request that is ignored gets no response, and still ends with the connection [A1.10]", async () => {
      const { client, clock, requests } = connectWaiting(kind);
      const call = failure(client.request("m", {}, { timeout: 100 }));
      await turn();
      requests[0]!.ignore();
      await client.close();
      expect(await call).toMatchObject(CLOSED);
      await turn();
      expect(requests[0]!.signal.aborted).toBe(true);
      expect(clock.pending).toBe(0);
    });
  });

  describe("the end", () => {
    it("every pending call fails, later ones too, and notifications are dropped [BS-23 BS-50 DI-11 XT-02]", async () => {
      const { client, server, clock, ended, clientErrors, serverErrors } = connectWaiting(kind);
      const calls = [1, 2, 3].map(() => failure(client.request("m")));
      await turn();
      await server.close();
      for (const error of await Promise.all(calls)) expect(error).toMatchObject(CLOSED);
      expect(await failure(client.request("m"))).toMatchObject(CLOSED);
      expect(await failure(server.request("m"))).toMatchObject(CLOSED);
      await client.notify("dropped");
      await server.notify("dropped");
      await Promise.all(ended);
      expect([clock.pending, clientErrors, serverErrors]).toEqual([0, [], []]);
    });

    it("closing twice, from either side, with calls and handlers under way [XT-20 D13]", async () => {
      const { client, server, requests, answers, clock, ended, clientErrors, serverErrors } = connectWaiting(kind);
      const call = failure(client.request("m"));
      await turn();
      const { signal } = requests[0]!;
      await Promise.all([client.close(), client.close("again"), server.close()]);
      expect(await call).toMatchObject(CLOSED);
      await Promise.all(ended);
      expect(signal.aborted).toBe(true);
      answers[0]!.resolve({ late: true });
      await turn();
      expect([clock.pending, clientErrors, serverErrors]).toEqual([0, [], []]);
    });

    it("a handler that closes its connection is cancelled, and nothing stays behind [D13]", async () => {
      for (const wait of [false, true]) {
        let request: InboundRequest | undefined;
        const pair = connect(kind, (inbound) => {
          request = inbound;
          void pair.server.close();
          return wait ? new Promise(() => undefined) : {};
        });
        expect(await failure(pair.client.request("m"))).toMatchObject(CLOSED);
        await Promise.all(pair.ended);
        expect(request!.signal.aborted).toBe(true);
        expect([pair.clock.pending, pair.serverErrors]).toEqual([0, []]);
      }
    });

    it("the first reason to close is that of every handler, also if one of them closes again [D13]", async () => {
      const { client, server, requests } = connectWaiting(kind);
      const calls = [failure(client.request("m")), failure(client.request("m"))];
      await turn();
      requests[0]!.signal.addEventListener("abort", () => void server.close(new Error("second")));
      const reason = new Error("first");
      await server.close(reason);
      for (const { signal } of requests) expect((signal.reason as Error).cause).toBe(reason);
      for (const error of await Promise.all(calls)) expect(error).toMatchObject(CLOSED);
    });

    it("a call made while the connection ends fails like any other [D13]", async () => {
      const { client, server, requests } = connectWaiting(kind);
      const late: Promise<McpError>[] = [];
      void failure(client.request("m")).then(() => late.push(failure(client.request("again"))));
      await turn();
      requests[0]!.signal.addEventListener("abort", () =>
        late.push(failure(server.request("x")), failure(requests[0]!.request("y"))),
      );
      await server.close();
      await turn();
      expect(late).toHaveLength(3);
      for (const error of await Promise.all(late)) expect([-32000, -32600]).toContain(error.code);
    });

    it("an onError that throws changes nothing [D12]", async () => {
      const onError = (): void => {
        throw new Error("listener");
      };
      const { client } = connect(
        kind,
        () => {
          throw new Error("handler");
        },
        { server: { onError }, client: { onError } },
      );
      expect(await failure(client.request("m"))).toMatchObject({ code: -32603 });
    });

    it("the reason one side closes with does not reach the other [D13]", async () => {
      const { client, server } = connectWaiting(kind, { onClientRequest: () => new Promise(() => undefined) });
      const calls = [failure(client.request("m")), failure(server.request("m"))];
      const reason = new Error("secret");
      await server.close(reason);
      const [far, near] = await Promise.all(calls);
      expect(far!.cause).toBeUndefined();
      expect(near!.cause).toBe(reason);
    });
  });
});
