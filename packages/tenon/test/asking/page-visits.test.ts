/** Calls that 2025-11-25 refuses until the user was on a page (-32042): the client sends the user there and calls again. */
import { describe, expect, it } from "vitest";
import {
  type McpServer,
  RequestTimeoutError,
  UrlElicitationRequiredError,
  type Client,
  type ConnectOptions,
  type ElicitRequestURLParams,
  type RequestContext,
} from "tenon";
import { failureOf } from "../support/failure-of.ts";
import { describeMatrix, open } from "../support/matrix.ts";
import { connected } from "../support/odd-server.ts";
import { failure, result, type Reply } from "../support/scripted-server.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { testServer } from "../support/test-server.ts";

const REVISION = ["2025-11-25"] as const;

const page = (elicitationId: string): ElicitRequestURLParams & { elicitationId: string } => ({
  mode: "url",
  message: `Sign in for ${elicitationId}`,
  url: `https://example.com/${elicitationId}`,
  elicitationId,
});

/** A server whose tool wants pages visited, one refusal after the other; `finish` is what the page does in the end. */
function guarded(...refusals: string[][]): { server: McpServer; calls: () => number; finish: (id: string) => Promise<void> } {
  const server = testServer({ onError: () => undefined });
  const left = [...refusals];
  let calls = 0;
  let last: RequestContext | undefined;
  server.tool("t", {}, (_input, ctx) => {
    calls++;
    last = ctx;
    const ids = left.shift();
    if (ids !== undefined) throw new UrlElicitationRequiredError(ids.map(page));
    return `done after ${calls}`;
  });
  return { server, calls: () => calls, finish: async (id) => last!.session.standalone.sendElicitComplete(id) };
}

describeMatrix(
  "A page that must be visited first",
  ({ connect }) => {
    it("is opened with consent, waited for, and the call made again with a new id [L1.8 A5.6]", async () => {
      const { server, calls, finish } = guarded(["a"]);
      const asked: unknown[] = [];
      const client = await connect(server, {
        onElicit: async (params) => {
          asked.push(params);
          // The user is done before the consent is known, and the page of another client has no effect.
          await finish("b");
          await finish("a");
          return { action: "accept" };
        },
      });
      expect((await client.callTool("t")).text).toBe("done after 2");
      expect(asked).toEqual([page("a")]);
      expect(calls()).toBe(2);
    });

    it("several pages are opened together, and refusals may follow one another [L1.8]", async () => {
      const { server, finish } = guarded(["a", "b"], ["c"]);
      const asked: string[] = [];
      const client = await connect(server, {
        onElicit: (params) => {
          const { elicitationId } = params as ReturnType<typeof page>;
          asked.push(elicitationId);
          // Done some time after the consent, and not in the order asked.
          if (asked.length === 2) setImmediate(() => void finish("b").then(() => finish("a")));
          if (elicitationId === "c") setImmediate(() => void finish("c").then(() => finish("c")));
          return { action: "accept" };
        },
      });
      expect((await client.callTool("t")).text).toBe("done after 3");
      expect(asked).toEqual(["a", "b", "c"]);
    });

    it.each(["decline", "cancel"] as const)(
      "a %s is the end of it: the caller gets the refusal [L1.8 A5.6 requirement H15]",
      async (action) => {
        const { server, calls } = guarded(["a"]);
        const client = await connect(server, { onElicit: () => ({ action }) });
        const error = await failureOf(client.callTool("t"));
        expect(error).toBeInstanceOf(UrlElicitationRequiredError);
        expect(error).toMatchObject({ code: -32042, elicitations: [page("a")] });
        expect(calls()).toBe(1);
      },
    );

    it.each<[string, ConnectOptions]>([
      ["that cannot open pages", { onElicit: () => ({ action: "accept" }), elicitationModes: ["form"] }],
      ["that answers nothing", {}],
      ["that wants to answer by hand", { onElicit: () => ({ action: "accept" }), limits: { maxRounds: 0 } }],
    ])("a client %s gets the refusal as it is [L1.8 A5.6]", async (_which, options) => {
      const { server, calls } = guarded(["a"]);
      const client = await connect(server, options);
      expect(await failureOf(client.callTool("t"))).toBeInstanceOf(UrlElicitationRequiredError);
      expect(calls()).toBe(1);
    });

    it("is bounded: a server that keeps refusing is called maxRounds times [L1.8 requirement H16]", async () => {
      const { server, calls, finish } = guarded(...Array.from({ length: 9 }, () => ["a"]));
      const client = await connect(server, {
        limits: { maxRounds: 2 },
        onElicit: async () => {
          await finish("a");
          return { action: "accept" };
        },
      });
      expect(await failureOf(client.callTool("t"))).toMatchObject({ data: { limit: "limits.maxRounds", max: 2 } });
      expect(calls()).toBe(3);
    });

    it("can be aborted while the user is away: the callback's signal aborts, and the client still works [L1.8]", async () => {
      const { server } = guarded(["a"]);
      const abort = new AbortController();
      const heard: unknown[] = [];
      const client = await connect(server, {
        onElicit: (_params, { signal }) => {
          signal.addEventListener("abort", () => heard.push(signal.reason));
          setImmediate(() => abort.abort(new Error("enough")));
          return new Promise(() => undefined);
        },
      });
      await expect(client.callTool("t", {}, { signal: abort.signal })).rejects.toThrow("enough");
      await expect.poll(() => heard).toMatchObject([{ message: "enough" }]);
      expect((await client.callTool("t")).text).toBe("done after 2");
    });
  },
  REVISION,
);

describe("The time of a visit", () => {
  async function setUp(
    options: ConnectOptions = {},
  ): Promise<{ client: Client; clock: VirtualClock; world: ReturnType<typeof guarded> }> {
    const clock = new VirtualClock();
    const world = guarded(["a"]);
    const client = await open("direct", world.server, {
      revision: "2025-11-25",
      clock,
      onElicit: () => ({ action: "accept" }),
      ...options,
    });
    return { client, clock, world };
  }

  it("counts against no other limit, and has one of its own (option visitTimeout) [requirement G5 L1.8]", async () => {
    const { client, clock, world } = await setUp({ timeout: 100, maxTotalTimeout: 200 });
    const call = client.callTool("t");
    await clock.advance(599_000);
    await world.finish("a");
    expect((await call).text).toBe("done after 2");
    expect(clock.pending).toBe(0);

    const late = await setUp({ visitTimeout: 1_000 });
    const error = failureOf(late.client.callTool("t"));
    await late.clock.advance(1_000);
    expect(await error).toBeInstanceOf(RequestTimeoutError);
    expect((await error).message).toBe('Request "tools/call" timed out after 1000 ms (option "visitTimeout")');
    await late.client.close();
    expect(late.clock.pending).toBe(0);
  });

  it("a time that is negative or not a number is refused [L1.8 CF-04]", async () => {
    await expect(setUp({ visitTimeout: -1 })).rejects.toBeInstanceOf(RangeError);
  });

  it("ends with the connection [XT-20 L1.8]", async () => {
    const { client, clock } = await setUp();
    const call = failureOf(client.callTool("t"));
    await clock.advance(0);
    await client.close();
    expect(await call).toMatchObject({ code: -32000 });
    expect(clock.pending).toBe(0);
  });

  it("a callback that throws is reported to the operator, and the caller gets the error [D12 L1.8]", async () => {
    const errors: Error[] = [];
    const { client } = await setUp({
      onError: (error) => void errors.push(error),
      onElicit: () => {
        throw new Error("no browser");
      },
    });
    expect(await failureOf(client.callTool("t"))).toBeInstanceOf(UrlElicitationRequiredError);
    expect(errors.map(({ message }) => message)).toContain("no browser");
    await client.close();
  });
});

describe("Refusals of other servers", () => {
  const refusal = (...elicitations: object[]): Reply => failure(-32042, { elicitations });
  const accept: ConnectOptions = { onElicit: () => ({ action: "accept" }) };

  it.each<[string, Reply]>([
    ["no pages", refusal()],
    ["a page that can never be finished", refusal({ mode: "url", message: "m", url: "https://example.com" })],
    ["a malformed page", refusal({ mode: "url", message: 1, url: "https://example.com", elicitationId: "a" })],
  ])("with %s reach the caller, and nothing waits [A5.6 L1.8]", async (_what, reply) => {
    let calls = 0;
    const count: Reply = (request, server) => (calls++, reply(request, server));
    const { client } = await connected({ "tools/call": count }, accept);
    expect(await failureOf(client.callTool("t"))).toMatchObject({ code: -32042 });
    expect(calls).toBe(1);
  });

  it("a call made again is a request of its own, with the same params and none of the first one's id [A1.3 L1.8]", async () => {
    let refused = false;
    const reply: Reply = (request, server) => {
      if (refused) return result({ content: [{ type: "text", text: "done" }] })(request, server);
      refused = true;
      return refusal(page("a"))(request, server);
    };
    const { client, server } = await connected(
      { "tools/call": reply },
      {
        onElicit: () => {
          server.push({ jsonrpc: "2.0", method: "notifications/elicitation/complete", params: { elicitationId: "a" } });
          return { action: "accept" };
        },
      },
    );
    const options = { requestId: "mine", meta: { "x/y": 1 }, validateOutput: false };
    expect((await client.callTool("t", { a: null }, options)).text).toBe("done");
    const [first, second] = server.sent.filter(({ method }) => method === "tools/call");
    expect(second!["params"]).toEqual(first!["params"]);
    expect([first!["id"], second!["id"] === "mine"]).toEqual(["mine", false]);
  });
});
