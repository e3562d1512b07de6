/** `once`, and `once` with `confirm`, for clients that reach the tool over a group or a gateway. */
import { describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { connect, type ConnectOptions, type McpServer } from "tenon";
import { createGateway } from "tenon/gateway";
import { ClientSessionGroup } from "tenon/group";
import { memoryStores } from "tenon/stores/memory";
import { KEYS, PageBrowser, pageIn, site, type PagesSite } from "../pages/support.ts";
import { gate } from "../support/gate.ts";
import { closing, REVISIONS } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

const input = z.object({ id: z.string(), cents: z.number() });

/** A shop whose payments happen once, with a yes if `confirm` is set. */
function shop(confirm?: string): { server: McpServer; paid: number[] } {
  const paid: number[] = [];
  const server = testServer({ name: "shop", onError: () => undefined });
  server.tool(
    "pay",
    { input, once: { key: "id" }, ...(confirm !== undefined && { confirm }) },
    ({ cents }) => `receipt ${paid.push(cents)}`,
  );
  return { server, paid };
}

type Pay = (id: string, cents?: number) => Promise<string>;

const WAYS: Readonly<Record<string, (server: McpServer, options?: ConnectOptions) => Promise<Pay>>> = {
  group: async (server, options = {}) => {
    const group = new ClientSessionGroup(options);
    onTestFinished(() => group.close());
    await group.connectToServer(server, { name: "shop" });
    const tool = [...group.tools.keys()].find((name) => name.endsWith("pay"))!;
    return async (id, cents = 5) => (await group.callTool(tool, { id, cents })).text;
  },
  gateway: async (server, options = {}) => {
    const gateway = createGateway({ readyTimeout: 60_000, servers: { shop: server } });
    onTestFinished(() => gateway.close());
    const client = await closing(connect(gateway, options));
    return async (id, cents = 5) => (await client.callTool("shop__pay", { id, cents })).text;
  },
};

describe.each(Object.keys(WAYS))("over a %s", (way) => {
  const open = WAYS[way]!;

  test.each(REVISIONS)(
    "calls of one key have one effect and one result, also at once; other arguments are refused [%s]",
    async (revision) => {
      const { server, paid } = shop();
      const pay = await open(server, { revision });
      expect(new Set(await Promise.all([pay("a"), pay("a"), pay("a")]))).toEqual(new Set(["receipt 1"]));
      expect([await pay("a"), await pay("b", 7)]).toEqual(["receipt 1", "receipt 2"]);
      await expect(pay("a", 6)).rejects.toThrow("was used with other arguments");
      expect(paid).toEqual([5, 7]);
    },
  );

  test("a call with a yes is asked once for each key, and what was refused may be asked again", async () => {
    const { server, paid } = shop("Pay?");
    const answers = ["decline", "accept"] as const;
    let asked = 0;
    const pay = await open(server, { onElicit: () => ({ action: answers[Math.min(asked++, 1)]! }) });
    expect(await pay("a")).toContain("did not confirm");
    expect([await pay("a"), await pay("a"), asked]).toEqual(["receipt 1", "receipt 1", 2]);
    expect(new Set(await Promise.all([pay("b"), pay("b")]))).toEqual(new Set(["receipt 2"]));
    expect([paid, asked]).toEqual([[5, 5], 3]);
  });

  test("a call that waits for another one of its key has its result when that one ends", async () => {
    const [begun, may] = [gate(), gate()];
    const server = testServer({ name: "shop" });
    let paid = 0;
    server.tool("pay", { input, once: { key: "id" } }, async () => {
      begun.open();
      await may.opened;
      return `receipt ${++paid}`;
    });
    const pay = await open(server);
    const first = pay("a");
    await begun.opened;
    const second = pay("a");
    may.open();
    expect([await first, await second, paid]).toEqual(["receipt 1", "receipt 1", 1]);
  });
});

describe("over a gateway, a user who says yes on a page", () => {
  /** Two nodes of a shop with pages, and a gateway before each. */
  async function behind(): Promise<{
    readonly paid: number[];
    readonly pay: (user: string, node: number, options?: ConnectOptions) => Promise<Pay>;
  }> {
    const paid: number[] = [];
    const stores = memoryStores();
    onTestFinished(() => stores.close());
    const tools = (server: McpServer): void => {
      server.tool(
        "pay",
        { input, once: { key: "id" }, confirm: ({ cents }) => `Pay ${cents}?` },
        ({ cents }) => `receipt ${paid.push(cents)}`,
      );
    };
    const options = { pages: { keys: KEYS }, requestState: { keys: KEYS } };
    const nodes: readonly PagesSite[] = [await site(tools, options, { stores }), await site(tools, options, { stores })];
    const pay = async (user: string, node: number, more: ConnectOptions = {}): Promise<Pay> => {
      const servers = { shop: { url: nodes[node]!.endpoint.url, headers: { authorization: `Bearer ${user}` } } };
      const gateway = createGateway({ readyTimeout: 60_000, servers });
      onTestFinished(() => gateway.close());
      const client = await closing(connect(gateway, more));
      return async (id, cents = 5) => (await client.callTool("shop__pay", { id, cents })).text;
    };
    return { paid, pay };
  }

  test("pays once for a key, at two nodes; the key of another user is another key", async () => {
    const { paid, pay } = await behind();
    const pages: string[] = [];
    const opens = (user: string): ConnectOptions => ({
      elicitationModes: ["url"],
      onElicit: async (question) => {
        pages.push((question as { url: string }).url);
        await new PageBrowser(user).answer(pages.at(-1)!, { choice: "yes" });
        return { action: "accept" };
      },
    });
    const [one, other, bob] = [
      await pay("ada", 0, opens("ada")),
      await pay("ada", 1, opens("ada")),
      await pay("bob", 1, opens("bob")),
    ];
    expect([await one("a"), await one("a"), await other("a"), await bob("a")]).toEqual([
      "receipt 1",
      "receipt 1",
      "receipt 1",
      "receipt 2",
    ]);
    await expect(other("a", 6)).rejects.toThrow("was used with other arguments");
    expect([paid, pages.length]).toEqual([[5, 5], 2]);
  });

  test("for a client that asks no one: the address comes in words, the yes counts once, and the key does the rest", async () => {
    const { paid, pay } = await behind();
    const silent = await pay("ada", 0);
    const asked = await silent("a");
    expect(asked).toContain("Pay 5?");
    expect((await new PageBrowser("bob").open(pageIn(asked))).status).toBe(403);
    await new PageBrowser("ada").answer(pageIn(asked), { choice: "yes" });
    expect([await silent("a"), await silent("a")]).toEqual(["receipt 1", "receipt 1"]);
    expect(await silent("b")).toContain("Pay 5?");
    expect(paid).toEqual([5]);
  });
});
