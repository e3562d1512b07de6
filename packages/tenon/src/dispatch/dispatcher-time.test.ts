/** Progress and time limits: held against both dispatchers. */
import { describe, expect, it } from "vitest";
import { connect, connectWaiting, failure, IDLE, PAIR_KINDS } from "../../test/support/dispatcher-pair.ts";
import { turn } from "../../test/support/virtual-clock.ts";
import { RequestTimeoutError, type McpError } from "../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { InboundRequest, Progress, RawResult } from "./dispatcher.ts";
import { deferred, type Deferred } from "../../test/support/gate.ts";

describe.each(PAIR_KINDS)("%s dispatcher", (kind) => {
  describe("progress", () => {
    const token = (request: InboundRequest): unknown => (request.params?.["_meta"] as JsonObject | undefined)?.["progressToken"];
    const report = (request: InboundRequest, progress: unknown, rest: JsonObject = {}): void =>
      void request.notify("notifications/progress", { progressToken: token(request), progress, ...rest });

    it("requests progress if wanted, for the call and the notification callback [BS-13 BS-14 BS-46 requirement G6]", async () => {
      const metas: unknown[] = [];
      const teed: unknown[] = [];
      const { client } = connect(
        kind,
        (request) => {
          metas.push(request.params?.["_meta"]);
          report(request, 1, { total: 2, message: "half" });
          report(request, 1.5);
          return {};
        },
        { onNotification: (_, params) => void teed.push(params?.["progress"]) },
      );
      const steps: Progress[] = [];
      await client.request("m", { _meta: { mine: true } }, { onProgress: (step) => void steps.push(step) });
      await client.request("m", undefined, { onProgress: (step) => void steps.push(step) });
      await client.request("m", { a: 1 });
      expect(metas).toEqual([{ mine: true, progressToken: expect.anything() }, { progressToken: expect.anything() }, undefined]);
      const two = [{ progress: 1, total: 2, message: "half" }, { progress: 1.5 }];
      expect(steps).toEqual([...two, ...two]);
      expect(teed).toEqual([1, 1.5, 1, 1.5, 1, 1.5]);
    });

    it("drops progress that does not grow, is malformed, has no call, or is after the response [requirement G6 D8]", async () => {
      const { client, server, requests, answers } = connectWaiting(kind);
      const steps: number[] = [];
      const call = client.request("m", {}, { onProgress: ({ progress }) => void steps.push(progress) });
      await turn();
      const request = requests[0]!;
      for (const progress of [1, 1, 0.5, "2", null, undefined, 2]) report(request, progress);
      for (const params of [undefined, {}, { progressToken: [1], progress: 5 }, { progressToken: "unknown", progress: 5 }]) {
        await server.notify("notifications/progress", params);
      }
      answers[0]!.resolve({});
      await call;
      report(request, 3);
      await server.notify("notifications/progress", { progressToken: token(request), progress: 4 });
      await turn();
      expect(steps).toEqual([1, 2]);
    });

    it("a callback that throws or rejects is reported; the next progress and the response still arrive [XT-06 D12]", async () => {
      const steps: number[] = [];
      const { client, clientErrors, requests, answers } = connectWaiting(kind);
      const call = client.request(
        "m",
        {},
        {
          onProgress: ({ progress }) => {
            steps.push(progress);
            if (progress === 1) throw new Error("one");
            return progress === 2 ? Promise.reject(new Error("two")) : undefined;
          },
        },
      );
      await turn();
      for (const progress of [1, 2, 3]) report(requests[0]!, progress);
      await turn();
      answers[0]!.resolve({ ok: true });
      await expect(call).resolves.toEqual({ ok: true });
      expect(steps).toEqual([1, 2, 3]);
      expect(clientErrors.map(({ message }) => message)).toEqual(["one", "two"]);
    });

    it("a slow callback gets progress in order, delays no call, and gets none after the call settled [XT-07 CF-14]", async () => {
      const steps: number[] = [];
      const gate = deferred<void>();
      const { client, requests, answers } = connectWaiting(kind);
      const call = client.request(
        "m",
        {},
        {
          onProgress: async ({ progress }) => {
            steps.push(progress);
            if (progress === 1) await gate.promise;
            if (progress === 3) await new Promise(() => undefined);
          },
        },
      );
      await turn();
      for (const progress of [1, 2, 3, 4]) report(requests[0]!, progress);
      const other = client.request("other");
      await turn();
      answers[1]!.resolve({});
      await expect(other).resolves.toEqual({});
      expect(steps).toEqual([1]);
      gate.resolve();
      await turn();
      expect(steps).toEqual([1, 2, 3]);
      answers[0]!.resolve({});
      await call;
      await turn();
      expect(steps).toEqual([1, 2, 3]);
    });
  });

  describe("time limits", () => {
    it("the connection's limit ends a call, the peer's handler, and nothing else [CF-03 CF-05 BS-17 BS-18 XT-03]", async () => {
      const { client, clock, requests, answers } = connectWaiting(kind, { client: { timeout: 5000 } });
      const call = failure(client.request("tools/call"));
      await clock.advance(4999);
      expect(requests[0]!.signal.aborted).toBe(false);
      await clock.advance(1);
      const error = await call;
      expect(error).toBeInstanceOf(RequestTimeoutError);
      expect(error).toMatchObject({ code: -32001, data: { method: "tools/call", timeoutMs: 5000 } });
      expect(error.message).toMatch(/"tools\/call" timed out after 5000 ms/);
      expect(requests[0]!.signal.aborted).toBe(true);
      expect(requests[0]!.cancelled).toBe(true);
      answers[0]!.resolve({ late: true });
      const next = client.request("next");
      await turn();
      answers[1]!.resolve({});
      await expect(next).resolves.toEqual({});
      await clock.advance(IDLE);
      expect(clock.pending).toBe(0);
    });

    it("zero fails at once, Infinity never; an invalid duration is refused before any message [CF-04 BS-03 D17]", async () => {
      const { client, clock, requests } = connectWaiting(kind, { server: { limits: { handlerTimeout: Infinity } } });
      const zero = failure(client.request("zero", {}, { timeout: 0 }));
      await clock.advance(0);
      expect(await zero).toMatchObject({ code: -32001, data: { timeoutMs: 0 } });
      let settled = false;
      void failure(client.request("never", {}, { timeout: Infinity })).then(() => (settled = true));
      await clock.advance(2 ** 40);
      expect(settled).toBe(false);
      for (const timeout of [-1, NaN, "5" as unknown as number, null as unknown as number]) {
        await expect(client.request("m", {}, { timeout })).rejects.toThrow(RangeError);
        await expect(client.request("m", {}, { maxTotalTimeout: timeout })).rejects.toThrow(RangeError);
      }
      expect(requests.map(({ method }) => method)).toEqual(["zero", "never"]);
      await client.close();
      await turn();
      expect(settled).toBe(true);
    });

    it("progress extends a call, but not beyond the total [D8 requirement G5]", async () => {
      const { client, clock, requests } = connectWaiting(kind);
      const call = failure(client.request("m", {}, { timeout: 100, maxTotalTimeout: 250, onProgress: () => undefined }));
      await turn();
      for (let progress = 1; progress <= 4; progress++) {
        await clock.advance(60);
        await requests[0]!.notify("notifications/progress", {
          progressToken: (requests[0]!.params!["_meta"] as JsonObject)["progressToken"],
          progress,
        });
      }
      await clock.advance(9);
      expect(requests[0]!.cancelled).toBe(false);
      await clock.advance(1);
      expect(await call).toMatchObject({
        code: -32001,
        data: { timeoutMs: 250 },
        message: expect.stringContaining("maxTotalTimeout"),
      });
    });

    it("a total that was asked for bounds a call without a limit of its own, and one with a longer limit [D17]", async () => {
      const { client, clock } = connectWaiting(kind);
      for (const timeout of [Infinity, 500]) {
        const call = failure(client.request("m", {}, { timeout, maxTotalTimeout: 200 }));
        await clock.advance(200);
        expect(await call).toMatchObject({ code: -32001, data: { timeoutMs: 200 } });
      }
    });

    it("progress extends nothing if that is switched off [requirement G5]", async () => {
      const { client, clock, requests } = connectWaiting(kind);
      const call = failure(client.request("m", {}, { timeout: 100, resetTimeoutOnProgress: false, onProgress: () => undefined }));
      await clock.advance(90);
      await requests[0]!.notify("notifications/progress", {
        progressToken: (requests[0]!.params!["_meta"] as JsonObject)["progressToken"],
        progress: 1,
      });
      await clock.advance(10);
      expect(await call).toMatchObject({ code: -32001, data: { timeoutMs: 100 } });
    });

    it("an endless handler is aborted, then counted as leaked: its caller gets an error, its slot is free [D9]", async () => {
      const { client, clock, requests, answers } = connectWaiting(kind, {
        server: { limits: { handlerTimeout: 1000, handlerGrace: 500, maxInFlight: 1 } },
        client: { timeout: Infinity },
      });
      const call = failure(client.request("hang"));
      await clock.advance(1000);
      expect(requests[0]!.signal.reason).toMatchObject({ code: -32001 });
      expect(await failure(client.request("busy"))).toMatchObject({ code: -32603, data: { limit: "limits.maxInFlight" } });
      await clock.advance(500);
      expect(await call).toMatchObject({ code: -32603, data: { method: "hang", timeoutMs: 1000 } });
      const next = client.request("next");
      await turn();
      answers[0]!.resolve({ late: true });
      answers[1]!.resolve({ next: true });
      await expect(next).resolves.toEqual({ next: true });
      await clock.advance(IDLE);
      expect(clock.pending).toBe(0);
    });

    it("a leaked handler is counted by its server until it ends after all [D9]", async () => {
      const leaks = { running: 0, total: 0 };
      const answers: Deferred<RawResult>[] = [];
      const { client, clock, serverErrors } = connect(
        kind,
        (request) => {
          request.leaks = leaks;
          answers.push(deferred<RawResult>());
          return answers.at(-1)!.promise;
        },
        { server: { limits: { handlerTimeout: 1000, handlerGrace: 500 } }, client: { timeout: Infinity } },
      );
      const abort = new AbortController();
      const calls = [
        client.request("late"),
        client.request("never"),
        client.request("cancelled", {}, { signal: abort.signal }),
      ].map(failure);
      await turn();
      abort.abort();
      await clock.advance(1000);
      expect([leaks.running, leaks.total]).toEqual([1, 1]);
      await clock.advance(500);
      await Promise.all(calls);
      expect([leaks.running, leaks.total]).toEqual([3, 3]);
      expect(serverErrors.map((error) => (error as McpError).data)).toEqual(
        ["cancelled", "late", "never"].map((method, index) => ({ method, running: index + 1, total: index + 1 })),
      );
      answers[0]!.resolve({});
      answers[2]!.reject(new Error("after all"));
      await turn();
      expect([leaks.running, leaks.total]).toEqual([1, 3]);
    });

    it("a handler that ends after its signal aborted may still return a result [D9]", async () => {
      const { client, clock } = connect(
        kind,
        (request) => new Promise((resolve) => request.signal.addEventListener("abort", () => resolve({ partial: true }))),
        { server: { limits: { handlerTimeout: 1000 } }, client: { timeout: Infinity } },
      );
      const call = client.request("m");
      await clock.advance(1000);
      await expect(call).resolves.toEqual({ partial: true });
    });

    it("a request that stays open by design has no limit until it is cancelled, and then only the grace [D9]", async () => {
      const { client, clock, requests } = connectWaiting(kind, { server: { limits: { maxInFlight: 1, handlerGrace: 500 } } });
      const abort = new AbortController();
      const call = failure(client.request("listen", {}, { timeout: Infinity, signal: abort.signal }));
      await turn();
      requests[0]!.keepOpen();
      await clock.advance(10 ** 9);
      expect(requests[0]!.signal.aborted).toBe(false);
      abort.abort(new Error("done listening"));
      await call;
      await turn();
      expect(requests[0]!.signal.aborted).toBe(true);
      requests[0]!.keepOpen();
      expect(await failure(client.request("busy"))).toMatchObject({ data: { limit: "limits.maxInFlight" } });
      await clock.advance(500);
      void failure(client.request("served"));
      await turn();
      expect(requests.map(({ method }) => method)).toEqual(["listen", "served"]);
      await client.close();
    });

    it("an ignored request whose handler does not end gives its slot back as well [D9 A1.10]", async () => {
      const { client, clock, requests } = connectWaiting(kind, {
        server: { limits: { maxInFlight: 1, handlerTimeout: 1000, handlerGrace: 500 } },
      });
      const call = failure(client.request("ignored", {}, { timeout: 5000 }));
      await turn();
      requests[0]!.ignore();
      await clock.advance(1500);
      void failure(client.request("served"));
      await turn();
      expect(requests.map(({ method }) => method)).toEqual(["ignored", "served"]);
      await clock.advance(3500);
      expect(await call).toMatchObject({ code: -32001 });
    });

    it("counts on a clock that only goes forward, and waits longer than a timer can [D15]", async () => {
      const { client, clock } = connectWaiting(kind, { server: { limits: { handlerTimeout: Infinity } } });
      const month = 2 ** 31 + 1000;
      let settled = false;
      const call = failure(client.request("m", {}, { timeout: month, maxTotalTimeout: month })).finally(() => (settled = true));
      await turn();
      clock.stall(month - 1);
      await clock.advance(0);
      expect(settled).toBe(false);
      await clock.advance(1);
      expect(await call).toMatchObject({ code: -32001 });
    });

    it("a response that was there before the deadline counts after a stall of the process [D15]", async () => {
      const { client, clock, answers } = connectWaiting(kind);
      const call = client.request("m", {}, { timeout: 100 });
      await turn();
      clock.setTimer(150, () => answers[0]!.resolve({ ok: true }));
      clock.stall(3_600_000);
      await clock.advance(0);
      await expect(call).resolves.toEqual({ ok: true });
      await clock.advance(IDLE);
      expect(clock.pending).toBe(0);
    });
  });
});
