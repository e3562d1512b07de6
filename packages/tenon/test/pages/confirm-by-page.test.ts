/** `confirm` of a tool, and `ctx.confirm`, where a client shows no form: a page of the endpoint, and never a silent yes. */
import { describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { connect, type ConnectOptions, type JsonObject, type McpServer } from "tenon";
import { createGateway } from "tenon/gateway";
import { ClientSessionGroup } from "tenon/group";
import { userPages } from "tenon/pages";
import { memoryStores } from "tenon/stores/memory";
import { closing, REVISIONS } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";
import { KEYS, PageBrowser, pageIn, site } from "./support.ts";

const input = z.object({ path: z.string() });

function addRemove(server: McpServer, removed: string[]): void {
  server.tool("remove", { input, confirm: ({ path }) => `Delete ${path}?` }, ({ path }) => `removed ${removed.push(path)}`);
}

/** A client that opens pages. @param answer what its user does there */
const opener = (answer: (url: string) => Promise<unknown>): ConnectOptions => ({
  elicitationModes: ["url"],
  onElicit: async (question) => {
    await answer((question as { url: string }).url);
    return { action: "accept" };
  },
});

/** The `_meta` of a request of a client that shows forms. */
const CAN_SHOW_FORMS = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
  "io.modelcontextprotocol/clientInfo": { name: "forms", version: "1.0.0" },
};

const press =
  (choice: string) =>
  (url: string): Promise<unknown> =>
    new PageBrowser("ada").answer(url, { choice });

describe.each(["2025-11-25", "2026-07-28"] as const)("a client of %s that opens pages and shows no forms", (revision) => {
  test("runs the tool after a yes on the page, each time anew, and not after a no or a decline", async () => {
    const removed: string[] = [];
    const { client } = await site((server) => addRemove(server, removed));
    const urls: string[] = [];
    const says = (choice: string): Promise<Awaited<ReturnType<typeof client>>> =>
      client("ada", { revision, ...opener(async (url) => (urls.push(url), press(choice)(url))) });
    const ada = await says("yes");
    expect((await ada.callTool("remove", { path: "/a" })).text).toBe("removed 1");
    expect((await ada.callTool("remove", { path: "/a" })).text).toBe("removed 2");
    const refused = { isError: true, text: 'The user did not confirm "remove". Nothing was done.' };
    expect(await (await says("no")).callTool("remove", { path: "/b" })).toMatchObject(refused);
    expect(new Set(urls).size).toBe(3);
    const declines = await client("ada", { revision, elicitationModes: ["url"], onElicit: () => ({ action: "decline" }) });
    expect(await declines.callTool("remove", { path: "/c" })).toMatchObject(refused);
    const denies = await client("ada", {
      revision,
      elicitationModes: ["url"],
      onElicit: () => ({ action: "accept", content: { confirm: false } }),
    });
    expect(await denies.callTool("remove", { path: "/d" })).toMatchObject(refused);
    for (const url of urls) expect((await new PageBrowser("ada").open(url)).status).toBe(400);
    expect(removed).toEqual(["/a", "/a"]);
  });

  test("closes the page if the client cancels the call", async () => {
    const removed: string[] = [];
    const { client } = await site((server) => addRemove(server, removed));
    const controller = new AbortController();
    let url = "";
    const ada = await client("ada", {
      revision,
      elicitationModes: ["url"],
      onElicit: (question) => {
        url = (question as { url: string }).url;
        setTimeout(() => controller.abort(), 100);
        return { action: "accept" };
      },
    });
    await expect(ada.callTool("remove", { path: "/a" }, { signal: controller.signal })).rejects.toThrow("abort");
    await expect.poll(async () => (await new PageBrowser("ada").open(url)).status, { timeout: 30_000 }).toBe(400);
    expect(removed).toEqual([]);
  });
});

describe.each(REVISIONS)("a client of %s that asks no one", (revision) => {
  test("gets a page in words; the yes counts for one call with these arguments, of this user", async () => {
    const removed: string[] = [];
    const { client } = await site((server) => addRemove(server, removed));
    const [ada, bob] = [await client("ada", { revision }), await client("bob", { revision })];
    const first = await ada.callTool("remove", { path: "/a" });
    expect(first).toMatchObject({
      isError: true,
      text: expect.stringContaining('say yes first: "Delete /a?". Nothing was done.') as string,
    });
    expect((await press("yes")(pageIn(first.text))) as object).toMatchObject({ status: 200 });
    for (const [caller, path] of [
      [bob, "/a"],
      [ada, "/b"],
    ] as const)
      expect((await caller.callTool("remove", { path })).text).toContain("say yes first");
    expect((await ada.callTool("remove", { path: "/a" })).text).toBe("removed 1");
    const again = await ada.callTool("remove", { path: "/a" });
    expect(again.text).toContain("say yes first");
    await press("no")(pageIn(again.text));
    expect((await ada.callTool("remove", { path: "/a" })).text).toBe('The user did not confirm "remove". Nothing was done.');
    expect((await ada.callTool("remove", { path: "/a" })).text).toContain("say yes first");
    expect(removed).toEqual(["/a"]);
  });
});

test("a yes to one version of a tool counts for no other, on a page and in a form", async () => {
  const paid: string[] = [];
  const tools = (server: McpServer): void => {
    for (const version of ["1", "2"]) server.tool("pay", { version, confirm: true }, () => `paid ${paid.push(version)}`);
  };
  const of = (version: string): { meta: JsonObject } => ({ meta: { "dev.tenon/version": version } });
  const { client, endpoint } = await site(tools);
  const ada = await client("ada");
  expect((await press("yes")(pageIn((await ada.callTool("pay", {}, of("1"))).text))) as object).toMatchObject({ status: 200 });
  expect((await ada.callTool("pay", {}, of("2"))).text).toContain("say yes first");
  expect((await ada.callTool("pay", {}, of("1"))).text).toBe("paid 1");
  const round = async (version: string, more: object = {}): Promise<JsonObject> => {
    const meta = { ...of(version).meta, ...CAN_SHOW_FORMS };
    const params = { name: "pay", arguments: {}, ...more, _meta: meta };
    const response = await fetch(endpoint.url, {
      method: "POST",
      headers: {
        ...{ authorization: "Bearer ada", "content-type": "application/json", accept: "application/json, text/event-stream" },
        ...{ "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "pay" },
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    });
    return (await response.json()) as JsonObject;
  };
  const { inputRequests, requestState } = (await round("1"))["result"] as { inputRequests: JsonObject; requestState: string };
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((name) => [name, { action: "accept", content: {} }]));
  expect(await round("2", { inputResponses, requestState })).toMatchObject({ error: { code: -32602 } });
  expect(paid).toEqual(["1"]);
});

test("a client that shows forms gets a form, and no page", async () => {
  const removed: string[] = [];
  const { client } = await site((server) => addRemove(server, removed));
  const modes: unknown[] = [];
  const ada = await client("ada", { onElicit: ({ mode }) => (modes.push(mode), { action: "accept", content: {} }) });
  expect((await ada.callTool("remove", { path: "/a" })).text).toBe("removed 1");
  expect(modes).toEqual(["form"]);
});

test("without a login, and without pages, a client that asks no one is refused", async () => {
  const removed: string[] = [];
  const { endpoint } = await site((server) => addRemove(server, removed), {}, { auth: undefined as never });
  const server = testServer();
  addRemove(server, removed);
  for (const target of [endpoint.url, server]) {
    const client = await closing(connect(target));
    expect((await client.callTool("remove", { path: "/a" })).text).toContain("this client cannot ask for it. Nothing was done.");
  }
  expect(removed).toEqual([]);
});

test("ctx.confirm in a handler asks on a page, once, also if a later question lets the handler run again", async () => {
  let pages = 0;
  const { client } = await site(
    (server) =>
      server.tool("trip", {}, async (_input, ctx) => {
        if (!(await ctx.confirm("pay", "Pay 10?"))) return "not paid";
        const first = await ctx.elicitUrl("ticket", { message: "Your ticket", url: "https://example.com/ticket" });
        return `paid, ${first}`;
      }),
    { requestState: { maxSuspended: 0 } },
  );
  const ada = await client("ada", {
    revision: "2026-07-28",
    ...opener(async (url) => {
      if (url.includes("/ask/")) await press("yes")((pages++, url));
    }),
  });
  expect((await ada.callTool("trip")).text).toBe("paid, accept");
  expect(pages).toBe(1);
});

describe("a call with a key", () => {
  test("asks again after its tool failed: the yes was to the other call", async () => {
    const { client } = await site((server) => {
      let runs = 0;
      server.tool("pay", { input, confirm: "Pay?", once: { key: "path" } }, () => {
        if (++runs === 1) throw new Error("away");
        return "paid";
      });
    });
    let pages = 0;
    const ada = await client(
      "ada",
      opener(async (url) => press("yes")((pages++, url))),
    );
    expect((await ada.callTool("pay", { path: "/a" })).isError).toBe(true);
    expect((await ada.callTool("pay", { path: "/a" })).text).toBe("paid");
    expect((await ada.callTool("pay", { path: "/a" })).text).toBe("paid");
    expect(pages).toBe(2);
  });
});

describe("on the way through others", () => {
  test("a mount has the pages of the server that clients reach, and the yes counts for its tool", async () => {
    const removed: string[] = [];
    const files = testServer({ name: "files" });
    addRemove(files, removed);
    const { client } = await site((server) => void server.mount("files", files));
    const ada = await client("ada");
    const asked = await ada.callTool("files__remove", { path: "/a" });
    await press("yes")(pageIn(asked.text));
    expect((await ada.callTool("files__remove", { path: "/a" })).text).toBe("removed 1");
  });

  test("a group and a gateway pass a page on to a client that opens pages, its address in words to others", async () => {
    const removed: string[] = [];
    const { endpoint } = await site((server) => addRemove(server, removed));
    const behind = { url: endpoint.url, headers: { authorization: "Bearer ada" } };
    const group = new ClientSessionGroup({ ...opener(press("yes")) });
    onTestFinished(() => group.close());
    await group.connectToServer(behind, { name: "files" });
    const tool = [...group.tools.keys()].find((name) => name.endsWith("remove"))!;
    expect((await group.callTool(tool, { path: "/a" })).text).toBe("removed 1");
    const gateway = createGateway({ servers: { files: behind } });
    onTestFinished(() => gateway.close());
    const opens = await closing(connect(gateway, opener(press("yes"))));
    expect((await opens.callTool("files__remove", { path: "/b" })).text).toBe("removed 2");
    const silent = await closing(connect(gateway));
    const refused = await silent.callTool("files__remove", { path: "/c" });
    expect(refused.isError).toBe(true);
    expect(removed).toEqual(["/a", "/b"]);
  });

  test("two nodes with one store and the same keys: one asks, the other shows the page, and the yes counts once", async () => {
    const stores = memoryStores();
    const removed: string[] = [];
    const options = { pages: { keys: KEYS }, requestState: { keys: KEYS } };
    const one = await site((server) => addRemove(server, removed), options, { stores });
    const other = await site((server) => addRemove(server, removed), options, { stores });
    const ada = await one.client("ada");
    const asked = pageIn((await ada.callTool("remove", { path: "/a" })).text);
    const there = asked.replace(new URL(one.endpoint.url).host, new URL(other.endpoint.url).host);
    expect((await press("yes")(there)) as object).toMatchObject({ status: 200 });
    const both = await Promise.all([ada, await other.client("ada")].map((client) => client.callTool("remove", { path: "/a" })));
    expect(both.filter(({ isError }) => !isError)).toHaveLength(1);
    expect(removed).toEqual(["/a"]);
  });
});

test("a program without a browser says no address of a page that asks for a yes, as a model could open it", async () => {
  const opened: string[] = [];
  const open = async (url: URL): Promise<void> => {
    opened.push(url.href);
    throw new Error("There is no browser");
  };
  const removed: string[] = [];
  const server = testServer({ pages: userPages({ open }) });
  addRemove(server, removed);
  const { isError, text } = await (await closing(connect(server))).callTool("remove", { path: "/a" });
  expect([isError, opened.length, text.includes("http"), removed]).toEqual([true, 1, false, []]);
  expect(text).toContain("No browser could be opened on this machine. Use a client that shows forms or opens pages");
});

test.each([
  ["yes", "removed 1"],
  ["no", 'The user did not confirm "remove". Nothing was done.'],
])("a program waits until its user has said %s on a page of this machine", async (choice, text) => {
  const answers: Promise<unknown>[] = [];
  const open = async (url: URL): Promise<void> => void answers.push(new PageBrowser().answer(url.href, { choice }));
  const server = testServer({ pages: userPages({ open }) });
  addRemove(server, []);
  const client = await closing(connect(server));
  expect((await client.callTool("remove", { path: "/a" })).text).toBe(text);
  expect(await Promise.all(answers)).toMatchObject([{ status: 200 }]);
  await server.close();
});

test("userPages() is refused with a URL that shows no one whose it is, or options that do not exist", () => {
  expect(() => userPages({ url: "https://example.com/ask" })).toThrow('needs "identityProvider" or "identify"');
  expect(() => userPages({ url: "http://example.com/ask", identify: () => undefined })).toThrow('Option "url"');
  expect(() => userPages({ keys: ["short"] })).toThrow('Option "keys"');
  expect(() => userPages({ limits: { maxPages: 1_001 } })).toThrow('Option "limits.maxPages" must be at most 1000');
  expect(() => userPages({ uri: "x" } as never)).toThrow('Unknown option "uri"');
});
