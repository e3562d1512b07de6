// Who can reach the process of the page: each check alone, over real sockets. No browser is needed.
import { request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Door } from "../../src/inspector/server/door.ts";
import type { Inspector } from "../../src/inspector/start-inspector.ts";
import { inspect, PageFiles } from "./support.ts";
import { testServer } from "../../../tenon/test/support/test-server.ts";

const files = new PageFiles();
beforeAll(() => files.build());
afterAll(() => files.remove());

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends a request as any program of this machine can. */
function send(
  port: number,
  { method = "POST", path = "/api/do", headers = {}, body = '{"op":"ping","target":0,"call":"1"}' }: Sent,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: "127.0.0.1", port, method, path, headers: { host: `127.0.0.1:${port}`, ...headers } },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => (text += part));
        response.on("end", () => resolve({ status: response.statusCode!, headers: response.headers, body: text }));
      },
    );
    sent.on("error", reject);
    sent.end(method === "GET" ? undefined : body);
  });
}

const JSON_TYPE = { "content-type": "application/json" };

/** An inspector whose server counts its calls, and the key of a tab. */
async function opened(): Promise<{ inspector: Inspector; key: string; calls: () => number; good: Record<string, string> }> {
  let count = 0;
  const server = testServer({ name: "counted" });
  server.tool("count", {}, () => String(++count));
  const inspector = await inspect(files.folder, [{ name: "counted", typed: "counted.ts", server }]);
  const ticket = inspector.address().split("#t=")[1]!;
  const { body } = await send(inspector.port, { path: "/api/open", headers: JSON_TYPE, body: JSON.stringify({ ticket }) });
  const { key } = JSON.parse(body) as { key: string };
  return { inspector, key, calls: () => count, good: { ...JSON_TYPE, authorization: `Bearer ${key}` } };
}

test("what is no URL, and a method that no page sends, end neither the page nor the one for views", async () => {
  const { inspector } = await opened();
  const { headers } = await send(inspector.port, { method: "GET", path: "/" });
  const sandbox = Number(/frame-src http:\/\/127\.0\.0\.1:(\d+)/.exec(String(headers["content-security-policy"]))?.[1]);
  for (const port of [inspector.port, sandbox])
    for (const sent of [{ path: "//" }, { path: "http://[" }, { method: "TRACE", path: "/" }])
      expect((await send(port, { method: "GET", ...sent, body: "" })).status).toBeGreaterThanOrEqual(400);
});

test("a request needs this host, origin and site, the key and JSON; what is refused does nothing [R22 rule R1]", async () => {
  const { inspector, good, calls } = await opened();
  const { port } = inspector;
  const body = '{"op":"call","target":0,"call":"x","name":"count","params":{}}';
  const refusals: [number, Sent][] = [
    [421, { headers: { ...good, host: `evil.example:${port}` } }],
    [421, { headers: { ...good, host: "127.0.0.1" } }],
    [403, { headers: { ...good, origin: "http://evil.example" } }],
    [403, { headers: { ...good, origin: "null" } }],
    [403, { headers: { ...good, origin: `http://localhost:${port}` } }],
    [403, { headers: { ...good, "sec-fetch-site": "cross-site" } }],
    [403, { headers: { ...good, "sec-fetch-site": "none" } }],
    [401, { headers: JSON_TYPE }],
    [401, { headers: { ...good, authorization: "Bearer wrong" } }],
    [401, { headers: JSON_TYPE, path: `/api/do?key=${good["authorization"]!.slice(7)}` }],
    [415, { headers: { ...good, "content-type": "text/plain" } }],
    [405, { headers: good, method: "GET" }],
    [400, { headers: good, body: "[1]" }],
    [413, { headers: good, body: JSON.stringify({ op: "x".repeat(9 * 1024 * 1024) }) }],
    [404, { headers: good, path: "/api/run" }],
    [404, { headers: good, path: "/../package.json", method: "GET" }],
    [401, { path: "/api/stream?after=0", method: "GET" }],
  ];
  for (const [status, sent] of refusals) {
    const answer = await send(port, { body, ...sent }).catch((error: NodeJS.ErrnoException) => error);
    // A body that is too large may be cut off while it is sent.
    if (answer instanceof Error) expect([status, answer.code]).toEqual([413, expect.stringMatching(/ECONNRESET|EPIPE/)]);
    else expect([status, JSON.stringify(sent).slice(0, 200)]).toEqual([answer.status, JSON.stringify(sent).slice(0, 200)]);
  }
  expect(calls()).toBe(0);
  // the server may still be connecting
  await expect.poll(async () => (await send(port, { headers: good, body })).status).toBe(200);
  await expect.poll(calls).toBe(1);
});

test("each refusal says why in its body; what the table of requests lacks is refused without effect [R22 rule R1]", async () => {
  const { inspector, good, calls } = await opened();
  const { port } = inspector;
  const after = '"after" must be the number of an entry';
  const refusals: [number, string, Sent][] = [
    [421, "Not this host", { headers: { ...good, host: "evil.example" } }],
    [403, "Another page sent this", { headers: { ...good, origin: "http://evil.example" } }],
    [403, "Another page sent this", { headers: { "sec-fetch-site": "none" }, path: "/page.js", method: "GET" }],
    [403, "Another page sent this", { headers: { "sec-fetch-site": "same-site" }, path: "/", method: "GET" }],
    [401, "The key is missing or wrong: open the page again", { headers: JSON_TYPE }],
    [415, "The body must be application/json", { headers: { authorization: good["authorization"]! } }],
    [405, "Use POST", { headers: good, method: "PUT" }],
    [405, "Use POST", { headers: JSON_TYPE, method: "GET", path: "/api/open" }],
    [405, "Use GET", { headers: good, path: "/api/stream?after=0" }],
    [400, after, { headers: good, path: "/api/stream?after=-1", method: "GET" }],
    [400, after, { headers: good, path: "/api/stream?after=1.5", method: "GET" }],
    [400, after, { headers: good, path: "/api/stream?after=x", method: "GET" }],
    [400, "The body must be a JSON object", { headers: good, body: "[1]" }],
    [400, "The body must be a JSON object", { headers: good, body: "{" }],
    [400, "The body must be a JSON object", { headers: good, body: "null" }],
    [401, "This address was used already, or is too old", { headers: JSON_TYPE, path: "/api/open", body: '{"ticket":7}' }],
    [401, "This address was used already, or is too old", { headers: JSON_TYPE, path: "/api/open", body: '{"ticket":"x"}' }],
    [404, "There is nothing here", { headers: good, path: "/api/run" }],
    [404, "There is nothing here", { path: "/index.html", method: "GET" }],
    [405, "Files are read with GET", { headers: JSON_TYPE, path: "/", method: "POST" }],
  ];
  for (const [status, problem, sent] of refusals) {
    const { status: seen, body } = await send(port, sent);
    expect([seen, JSON.parse(body), sent]).toEqual([status, { problem }, sent]);
  }
  expect(calls()).toBe(0);
});

test("files are read with GET and HEAD, by people and pages; a type may name its characters; a body may have 8 MiB", async () => {
  const { inspector, good } = await opened();
  const { port } = inspector;
  const types = { "/": "text/html", "/page.js": "text/javascript", "/page.css": "text/css" };
  for (const [path, type] of Object.entries(types)) {
    const read = await send(port, { path, method: "GET", headers: { "sec-fetch-site": path === "/" ? "none" : "same-origin" } });
    expect([read.status, read.headers["content-type"]]).toEqual([200, `${type}; charset=utf-8`]);
    expect(read.body.length).toBeGreaterThan(0);
    const head = await send(port, { path, method: "HEAD", body: "" });
    expect([head.status, head.body, head.headers["content-length"]]).toEqual([200, "", read.headers["content-length"]]);
  }
  const named = await send(port, { headers: { ...good, "content-type": "Application/JSON; charset=utf-8" }, body: "{}" });
  expect([named.status, (JSON.parse(named.body) as { problem: string }).problem]).toEqual([400, expect.stringContaining("op")]);
  const head = '{"op":"nothing","text":"';
  const largest = `${head}${"x".repeat(8 * 1024 * 1024 - head.length - 2)}"}`;
  expect((await send(port, { headers: good, body: largest })).status).toBe(400);
  expect(
    await send(port, { headers: good, body: `${largest} ` }).then(
      ({ status }) => status,
      () => 413,
    ),
  ).toBe(413);
});

test("sixteen tabs read the stream, and another one can when one of them has ended", async () => {
  const { inspector, good } = await opened();
  const { port } = inspector;
  const tabs: (() => void)[] = [];
  const tab = (): Promise<number> =>
    new Promise((resolve, reject) => {
      const sent = request({
        host: "127.0.0.1",
        port,
        path: "/api/stream?after=0",
        headers: { ...good, host: `127.0.0.1:${port}` },
      });
      sent.on("error", reject).on("response", (response) => {
        tabs.push(() => response.destroy());
        response.on("error", () => undefined).resume();
        resolve(response.statusCode!);
      });
      sent.end();
    });
  for (let at = 0; at < 16; at++) expect(await tab()).toBe(200);
  const refused = await send(port, { headers: good, path: "/api/stream?after=0", method: "GET" });
  expect([refused.status, JSON.parse(refused.body)]).toEqual([
    403,
    { problem: "The page is open in 16 tabs: close one of them" },
  ]);
  tabs[0]!();
  await expect.poll(tab).toBe(200);
  for (const end of tabs) end();
});

test("a ticket ends after ten minutes, and of more than a hundred the oldest ends", () => {
  let now = 1;
  const door = new Door(() => now);
  const [in10, late] = [door.ticket(), door.ticket()];
  now += 599_999;
  expect(door.open(in10)).toBeDefined();
  now += 1;
  expect(door.open(late)).toBeUndefined();
  const tickets = Array.from({ length: 101 }, () => door.ticket());
  expect(tickets.map((ticket) => door.open(ticket) !== undefined)).toEqual([false, ...Array.from({ length: 100 }, () => true)]);
  expect(new Set(tickets).size).toBe(101);
});

test("a ticket works once; only the response to it has the key, and nothing may be stored or framed [R22 R15]", async () => {
  const { inspector, key, good } = await opened();
  const { port } = inspector;
  const ticket = inspector.address().split("#t=")[1]!;
  const open = (): Promise<Answer> => send(port, { path: "/api/open", headers: JSON_TYPE, body: JSON.stringify({ ticket }) });
  expect((await open()).status).toBe(200);
  expect((await open()).status).toBe(401);
  for (const path of ["/", "/page.js", "/page.css", "/nothing"]) {
    const answer = await send(port, { method: "GET", path });
    expect(JSON.stringify(answer)).not.toContain(key);
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
    expect(answer.headers["set-cookie"]).toBeUndefined();
    expect(answer.headers["content-security-policy"]).toContain("require-trusted-types-for 'script'; trusted-types 'none'");
    expect(answer.headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    expect(answer.headers["cache-control"]).toBe("no-store");
  }
  expect((await send(port, { headers: good, body: '{"op":"validate","target":0,"tool":"none","value":1}' })).body).not.toContain(
    key,
  );
});

test("the sandbox page of views is of another origin, has no key, and is framed by the page only [R22 P7]", async () => {
  const { inspector, key, good } = await opened();
  const { headers } = await send(inspector.port, { method: "GET", path: "/" });
  const sandbox = /frame-src http:\/\/127\.0\.0\.1:(\d+)$/.exec(String(headers["content-security-policy"]))?.[1];
  const port = Number(sandbox);
  expect([port > 0, port === inspector.port]).toEqual([true, false]);
  const ask = (path: string, host = `127.0.0.1:${port}`, method = "GET"): Promise<Answer> =>
    send(port, { method, path, headers: { ...good, host } });
  const shown = await ask(`/?host=http://127.0.0.1:${inspector.port}`);
  expect([shown.status, JSON.stringify(shown).includes(key)]).toEqual([200, false]);
  expect(shown.headers["content-security-policy"]).toContain(`frame-ancestors http://127.0.0.1:${inspector.port}`);
  expect((await ask("/?host=http://evil.example")).status).toBe(403);
  expect((await ask(`/?host=http://127.0.0.1:${inspector.port}`, "evil.example")).status).toBe(421);
  expect((await ask("/api/do", undefined, "POST")).status).toBe(405);
  const { body } = await send(inspector.port, {
    path: "/api/do",
    headers: good,
    body: '{"op":"view","target":0,"call":"1","method":"spawn","name":"x","params":{}}',
  });
  expect((JSON.parse(body) as { problem: string }).problem).toBe(
    '"method" must be one of tools/call, resources/read, resources/list',
  );
});

test("no operation takes a program, a file or an address: what is not of the table is refused by name [R22]", async () => {
  const { inspector, good } = await opened();
  const unknown = ["spawn", "connect", "__proto__", "constructor", "toString", ""].map((op) => ({
    op,
    command: "touch /tmp/x",
    url: "http://evil.example",
  }));
  const malformed = [
    { op: "speak", target: 1 },
    { op: "speak", target: "http://evil.example" },
    { op: "speak", target: 0, revision: "1999-01-01" },
    { op: "call", target: 0, call: 1, name: "count" },
    { op: "call", target: 0, call: "1", name: "count", params: [] },
    { op: "roots", target: 0, roots: [{ uri: "https://evil.example" }] },
    { op: "answer", question: 7, answer: {} },
    { op: "load", seq: -1 },
    { op: "level", target: 0, level: "loud" },
  ];
  for (const operation of [...unknown, ...malformed]) {
    const answer = await send(inspector.port, { headers: good, body: JSON.stringify(operation) });
    expect([answer.status, operation]).toEqual([400, operation]);
    expect((JSON.parse(answer.body) as { problem: string }).problem).not.toBe("");
  }
});

test("a path that is not a part of a URL gets an answer that says so, and the page goes on", async () => {
  const { inspector, good, calls } = await opened();
  const { status, body } = await send(inspector.port, { path: "//", method: "GET" });
  expect([status, JSON.parse(body)]).toEqual([500, { problem: "Invalid URL" }]);
  expect((await send(inspector.port, { headers: good })).status).toBe(200);
  expect(calls()).toBe(0);
});
