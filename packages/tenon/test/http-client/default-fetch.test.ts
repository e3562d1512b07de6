/** Which `fetch` sends the requests of a client that names none, on Node. Only the runtime's own sends `sec-fetch-mode`. */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { brotliCompressSync, constants, createGzip, deflateSync, gzipSync } from "node:zlib";
import { build } from "esbuild";
import { connect, type Client, type HttpServerParameters } from "tenon";
import { nodeFetch } from "tenon/node";
import { Agent, getGlobalDispatcher, MockAgent, setGlobalDispatcher } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { closing } from "../support/matrix.ts";
import { scriptedHttp, stateless, type Script, type ScriptedHttp } from "./scripted-http.ts";
import { deferred } from "../support/gate.ts";

const EMPTY = { tools: [], resultType: "complete", ttlMs: 0, cacheScope: "private" };
const lists: Script = (_, reply) => reply.result(EMPTY);

const open = (server: ScriptedHttp, more: Partial<HttpServerParameters> = {}): Promise<Client> =>
  closing(connect({ url: server.url, ...more }, { cacheResponses: false, validateOutput: false }));

/** What sent the last request. */
const sender = ({ requests }: ScriptedHttp): string =>
  requests.at(-1)!.headers["sec-fetch-mode"] === undefined ? "undici" : "the runtime's fetch";

async function senderOfCall(): Promise<string> {
  const server = await scriptedHttp(stateless(lists));
  await (await open(server)).listTools();
  return sender(server);
}

function replaceFetch(fetch: typeof globalThis.fetch): void {
  const { fetch: before } = globalThis;
  globalThis.fetch = fetch;
  onTestFinished(() => void (globalThis.fetch = before));
}

function setDispatcher(dispatcher: Parameters<typeof setGlobalDispatcher>[0]): void {
  const before = getGlobalDispatcher();
  setGlobalDispatcher(dispatcher);
  onTestFinished(() => setGlobalDispatcher(before));
}

describe("undici sends the requests", () => {
  test("of a program that changed nothing", async () => {
    expect(await senderOfCall()).toBe("undici");
  });

  // From its first request on, the runtime's fetch has a dispatcher: Node 26 keeps it in two places, and in one of them wrapped.
  test("of a program that has sent requests with the runtime's fetch", async () => {
    const server = await scriptedHttp(stateless(lists));
    const { stdout } = await run(PROGRAM, [server.url], { FETCH_FIRST: "1" });
    expect([stdout, sender(server)]).toEqual(["0 tools, a dispatcher\n", "undici"]);
  });

  test("of a program whose global dispatcher is an Agent without options", async () => {
    setDispatcher(new Agent());
    expect(await senderOfCall()).toBe("undici");
  });

  test("with what servers expect of the runtime's fetch, unless the user's headers say otherwise", async () => {
    const server = await scriptedHttp(stateless(lists));
    await (await open(server, { headers: { "X-Token": "secret\n" } })).listTools();
    expect(server.requests.at(-1)!.headers).toMatchObject({
      "user-agent": "node",
      "accept-encoding": "gzip, deflate",
      "x-token": "secret",
    });
    await (await open(server, { headers: { "User-Agent": "mine", "Accept-Encoding": "identity" } })).listTools();
    expect(server.requests.at(-1)!.headers).toMatchObject({ "user-agent": "mine", "accept-encoding": "identity" });
  });

  // A connection is used again one turn of the event loop after its response, in case the server closes it nevertheless.
  test("over two connections, if one call follows the other", async () => {
    const server = await scriptedHttp(stateless(lists));
    const client = await open(server);
    for (let call = 0; call < 10; call++) await client.listTools();
    expect(server.sockets.size).toBeLessThanOrEqual(2);
  });
});

describe("the runtime's fetch sends the requests", () => {
  test("if the program replaced it, and only as long as it does", async () => {
    const server = await scriptedHttp(stateless(lists));
    const client = await open(server);
    const { fetch } = globalThis;
    let calls = 0;
    replaceFetch((...request) => {
      calls++;
      return fetch(...request);
    });
    await client.listTools();
    expect([calls, sender(server)]).toEqual([1, "the runtime's fetch"]);
    globalThis.fetch = fetch;
    await client.listTools();
    expect([calls, sender(server)]).toEqual([1, "undici"]);
  });

  test("if the program set an Agent with options of its own, such as certificates", async () => {
    setDispatcher(new Agent({ connect: { timeout: 5_000 } }));
    expect(await senderOfCall()).toBe("the runtime's fetch");
  });

  test("if the program set another dispatcher, such as one for tests", async () => {
    const agent = new MockAgent();
    agent.get("https://mocked.example").intercept({ path: "/mcp", method: "POST" }).reply(404, "mocked").persist();
    setDispatcher(agent);
    await expect(connect("https://mocked.example/mcp", { revision: "2026-07-28" })).rejects.toMatchObject({
      data: { status: 404 },
    });
  });

  test("to a port of another protocol: it refuses", async () => {
    const refused = await connect("http://127.0.0.1:6667/mcp").catch((error: unknown) => error);
    expect(refused).toMatchObject({ cause: { cause: { message: "bad port" } } });
  });

  test("if the program uses a proxy", async () => {
    const server = await scriptedHttp(stateless(lists));
    await run(PROGRAM, [server.url], { NODE_USE_ENV_PROXY: "1" });
    // Where Node itself knows the variable, it has set the dispatcher of its `fetch`. Node 26 has a new place for it: the client
    // reads the variable there, as on Node 20 (field/connections-requests.test.ts).
    const isSetByNode =
      process.allowedNodeEnvironmentFlags.has("--use-env-proxy") && Number.parseInt(process.versions.node, 10) < 26;
    expect(sender(server)).toBe(isSetByNode ? "the runtime's fetch" : "undici");
  });

  test("if undici cannot be loaded, as in a bundle of ES modules; the user is warned once", async () => {
    const folder = await mkdtemp(join(tmpdir(), "tenon-bundle-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const outfile = join(folder, "client.mjs");
    const entryPoints = [fileURLToPath(new URL("../../src/client/index.ts", import.meta.url))];
    await build({
      entryPoints,
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      conditions: ["source"],
      logLevel: "silent",
    });
    const server = await scriptedHttp(stateless(lists));
    const { stdout, stderr } = await run(PROGRAM, [server.url, pathToFileURL(outfile).href]);
    expect([stdout, sender(server)]).toEqual(["0 tools, a dispatcher\n", "the runtime's fetch"]);
    expect(stderr.match(/Cannot load undici/g)).toHaveLength(1);
  });
});

const PROGRAM = fileURLToPath(new URL("fetching-program.mjs", import.meta.url));
const HOOK = new URL("../support/typescript-hook.mjs", import.meta.url).href;

function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<{ stdout: string; stderr: string }> {
  const flags = ["--conditions=source", "--import", HOOK];
  return promisify(execFile)(process.execPath, [...flags, program, ...args], {
    env: { ...process.env, ...env },
    timeout: 100_000,
  });
}

test("an idle client does not keep its process alive, and has set no dispatcher for the fetch of others", async () => {
  const server = await scriptedHttp(stateless(lists));
  const { stdout, stderr } = await run(PROGRAM, [server.url]);
  expect([stdout, stderr, sender(server)]).toEqual(["0 tools, no dispatcher\n", "", "undici"]);
});

test("closing a client frees the connection of a request that still waits", async () => {
  const server = await scriptedHttp(
    stateless((request, reply) => (request.message["method"] === "tools/call" ? undefined : lists(request, reply))),
  );
  const client = await open(server);
  const call = client.callTool("never").catch((error: unknown) => error);
  await server.received("tools/call");
  const before = server.sockets.size;
  await client.close();
  await call;
  await expect.poll(() => server.sockets.size).toBeLessThan(before);
});

describe("a compressed body is decompressed", () => {
  const twice = (text: string): Buffer => gzipSync(deflateSync(text));
  test.each([
    ["gzip", gzipSync],
    ["X-GZip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    ["deflate, gzip", twice],
  ] as const)("%s", async (encoding, packed) => {
    const server = await scriptedHttp(
      stateless(({ message }, { response }) => {
        response.writeHead(200, { "content-type": "application/json", "content-encoding": encoding });
        response.end(packed(JSON.stringify({ jsonrpc: "2.0", id: message["id"], result: EMPTY })));
      }),
    );
    for (const fetch of [undefined, nodeFetch])
      expect(await (await open(server, fetch && { fetch })).listTools()).toMatchObject({ tools: [] });
  });

  test("a stream, event by event", async () => {
    const server = await scriptedHttp(
      stateless(async ({ message }, { response }) => {
        const { promise, resolve } = deferred<void>();
        arrived = resolve;
        response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" });
        const packed = createGzip({ flush: constants.Z_SYNC_FLUSH });
        packed.pipe(response);
        const event = (content: object): void => void packed.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...content })}\n\n`);
        const { progressToken } = (message["params"] as { _meta: { progressToken: string } })._meta;
        event({ method: "notifications/progress", params: { progressToken, progress: 1 } });
        await promise; // the result follows only when the progress has arrived
        event({ id: message["id"], result: { content: [], resultType: "complete" } });
        packed.end();
      }),
    );
    let arrived = (): void => undefined;
    const client = await open(server);
    expect(await client.callTool("slow", {}, { onProgress: () => arrived() })).toMatchObject({ content: [] });
  });
});

test("a byte order mark before the JSON is removed", async () => {
  const server = await scriptedHttp(
    stateless(({ message }, reply) =>
      reply.text(`\uFEFF${JSON.stringify({ jsonrpc: "2.0", id: message["id"], result: EMPTY })}`, 200, {
        "content-type": "application/json",
      }),
    ),
  );
  expect(await (await open(server)).listTools()).toMatchObject({ tools: [] });
});
