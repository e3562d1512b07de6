// The 50 servers behind the gateway of the soak: 30 are honest, the others lie, stall, end in the middle, or flood.
// Honest servers repeat what their caller says: in results, questions, log messages, progress and roots.
import { McpServer } from "tenon";
import { bearerToken } from "tenon/auth";
import { perCaller } from "tenon/gateway";
import { createFetchHandler } from "tenon/server";

const TEXT = { type: "object", properties: { text: { type: "string" } } };
const NAME = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };

function honest(name) {
  const server = new McpServer({ name, version: "1" }, { onError: () => undefined });
  server.tool("echo", { input: TEXT }, ({ text }) => text);
  server.tool("ask", { input: TEXT }, async ({ text }, ctx) => {
    const answer = await ctx.elicit("name", { message: `Who is ${text}?`, schema: NAME });
    return `${text} ${JSON.stringify(answer)}`;
  });
  server.tool("tell", { input: TEXT }, async ({ text }, ctx) => {
    await ctx.log.info(text);
    await ctx.progress(1, 2, text);
    return text;
  });
  server.tool("roots", { input: TEXT }, async ({ text }, ctx) => `${text} ${(await ctx.roots()).map(({ uri }) => uri)}`);
  return server;
}

/** A server over HTTP whose callers have credentials of their own: each request must be of the caller whose token it has. */
function ofCallers(name, foreign) {
  const handler = createFetchHandler(honest(name));
  const fetch = async (url, init) => {
    const request = new Request(url, init);
    const caller = request.headers.get("authorization")?.replace("Bearer caller-", "");
    foreign(caller, await request.clone().text(), `a request to ${name}`);
    return handler(request);
  };
  return {
    entry: { url: `http://localhost/${name}`, fetch, auth: perCaller(({ principal }) => bearerToken(principal)) },
    close: () => handler.close(),
  };
}

const json = (body) => new Response(JSON.stringify(body), { headers: { "content-type": "application/json" } });
const DISCOVERED = {
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: {} },
  serverInfo: { name: "hostile", version: "1" },
};

/** A server whose behaviour is a function of the method and the request. Without one it has the tool "do". */
function hostile(name, behave) {
  let calls = 0;
  const fetch = async (_url, init) => {
    const { id, method, params } = JSON.parse(init.body);
    if (id === undefined) return new Response(null, { status: 202 });
    const own = await behave({ id, method, params, signal: init.signal, number: calls++ });
    if (own !== undefined) return own;
    if (method === "server/discover") return json({ jsonrpc: "2.0", id, result: DISCOVERED });
    if (method === "tools/list")
      return json({ jsonrpc: "2.0", id, result: { resultType: "complete", tools: [{ name: "do", inputSchema: TEXT }] } });
    return json({ jsonrpc: "2.0", id, result: { resultType: "complete", content: [{ type: "text", text: "done" }] } });
  };
  return {
    entry: { url: `http://localhost/${name}`, fetch, revision: "2026-07-28", connectTimeout: 300 },
    close: () => undefined,
  };
}

const never = (signal) =>
  new Promise((_resolve, reject) => {
    const end = () => reject(signal.reason ?? new Error("aborted"));
    if (signal?.aborted) end();
    else signal?.addEventListener("abort", end, { once: true });
  });

const stream = (events, isCut) =>
  new Response(
    new ReadableStream({
      start(controller) {
        for (const event of events) controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`));
        if (isCut) controller.error(new Error("cut"));
        else controller.close();
      },
    }),
    { headers: { "content-type": "text/event-stream" } },
  );

const KINDS = {
  lies: ({ id, method, number }) => {
    if (method === "tools/list") {
      const tools = Array.from({ length: number % 40 }, (_, n) => ({
        name: `t${n}`,
        description: `of ${number}`,
        inputSchema: n % 3 === 0 ? [] : TEXT,
      }));
      return json({
        jsonrpc: "2.0",
        id,
        result: { tools: [{ name: "do", inputSchema: TEXT }, ...tools], nextCursor: number % 5 === 0 ? "again" : undefined },
      });
    }
    if (method !== "tools/call") return undefined;
    return [
      () => json({ jsonrpc: "2.0", id: id + 1, result: {} }),
      () => json({ jsonrpc: "2.0", id, result: { content: "no list" } }),
      () => new Response("<html>", { headers: { "content-type": "text/html" } }),
      () => json({ jsonrpc: "2.0", id, error: { code: "x", message: 7 } }),
    ][number % 4]();
  },
  stalls: ({ method, signal, number }) => (method === "tools/call" || number % 50 === 49 ? never(signal) : undefined),
  ends: ({ id, method, number }) => {
    if (method !== "tools/call") return number % 20 === 19 ? new Response(null, { status: 503 }) : undefined;
    if (number % 2 === 0) throw Object.assign(new Error("ECONNRESET"), { code: "ECONNRESET" });
    return stream([{ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: id } }], true);
  },
  floods: ({ id, method }) => {
    if (method !== "tools/call") return undefined;
    const message = { jsonrpc: "2.0", method: "notifications/message", params: { level: "error", data: "x".repeat(200) } };
    return stream(
      [...Array.from({ length: 500 }, () => message), { jsonrpc: "2.0", id, result: { resultType: "complete", content: [] } }],
      false,
    );
  },
};

/**
 * The servers by name, with what they are.
 * @param foreign called with a caller, a text that is for it or of it, and what the text is
 */
export function makeServers(foreign) {
  const made = {};
  for (let n = 0; n < 10; n++) {
    made[`own-${n}`] = { kind: "honest", ...ofCallers(`own-${n}`, foreign) };
    made[`old-${n}`] = { kind: "honest", entry: { target: honest(`old-${n}`), revision: "2025-11-25" }, close: () => undefined };
    made[`new-${n}`] = { kind: "honest", entry: { target: honest(`new-${n}`), revision: "2026-07-28" }, close: () => undefined };
  }
  for (const [kind, behave] of Object.entries(KINDS))
    for (let n = 0; n < 5; n++) made[`${kind}-${n}`] = { kind, ...hostile(`${kind}-${n}`, behave) };
  return made;
}
