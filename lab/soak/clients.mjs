// The clients of the soak, in a process of their own. One cycle is a mix of all kinds of load on both families of revisions, and
// when it is over nothing of it may be left.
import { readdirSync } from "node:fs";
import { connect as connectSocket } from "node:net";
import { connect } from "tenon";
import { sample } from "./sample.mjs";

const url = new URL(process.argv[2]);
/** Times that each client does its calls in a cycle, and connections that are opened in it. */
const rounds = Number(process.argv[3]);
const REVISIONS = ["2026-07-28", "2025-11-25"];
const answer = { onElicit: () => ({ action: "accept", content: {} }), onError: () => undefined };

const failing = (call) =>
  call.then(
    () => undefined,
    () => undefined,
  );
const times = (count, work) => Promise.all(Array.from({ length: count }, (_, index) => work(index)));

/**
 * Calls of this process that were lost: a connection that was idle may be closed by the server just when a call is written to it.
 */
let lost = 0;
const losing = (call) =>
  call.catch((error) => {
    if (error?.name !== "ConnectionLostError") throw error;
    lost++;
  });

/** Calls on one client: most succeed, some are cancelled, some time out. */
async function calls(client) {
  for (let round = 0; round < rounds; round++) {
    for (let batch = 0; batch < 2; batch++) await times(40, (n) => losing(client.callTool("echo", { n })));
    await times(10, async () => {
      const abort = new AbortController();
      const call = failing(client.callTool("hang", {}, { signal: abort.signal }));
      setImmediate(() => abort.abort());
      await call;
    });
    await times(5, () => failing(client.callTool("hang", {}, { timeout: 20 })));
    await times(4, () => losing(client.callTool("steps", {}, { onProgress: () => undefined })));
    await times(4, () => losing(client.callTool("ask")));
    await losing(client.callTool("large"));
  }
  return rounds * 104;
}

/** A connection with its whole life, and a stream of changes. */
async function session(revision) {
  const client = await connect(url.href, { ...answer, revision });
  const changes = await client.listen({ resources: ["soak://counter"] });
  await losing(client.callTool("echo", {}));
  await changes.return?.();
  await client.close();
}

/** A request whose response is read by nobody, or whose connection is reset while the response comes. */
function rude(tool, after) {
  const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };
  const params = { name: tool, arguments: {}, _meta: { ...meta, progressToken: 1 } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const headers = [
    "POST /mcp HTTP/1.1",
    `Host: ${url.host}`,
    "Content-Type: application/json",
    "Accept: application/json, text/event-stream",
    "Mcp-Protocol-Version: 2026-07-28",
    "Mcp-Method: tools/call",
    `Mcp-Name: ${tool}`,
    `Content-Length: ${body.length}`,
  ];
  return new Promise((resolve) => {
    const socket = connectSocket(Number(url.port), url.hostname, () => socket.write(`${headers.join("\r\n")}\r\n\r\n${body}`));
    socket.pause();
    socket.on("error", () => undefined);
    socket.on("close", resolve);
    setTimeout(() => socket.resetAndDestroy(), after);
  });
}

async function cycle() {
  let operations = 0;
  for (const revision of REVISIONS) {
    const client = await connect(url.href, { ...answer, revision });
    operations += await calls(client);
    await client.close();
    await times(rounds, () => losing(session(revision)));
    operations += rounds;
  }
  await times(20, (n) => rude(n % 2 === 0 ? "large" : "steps", 5 + n));
  return operations + 20;
}

process.on("message", async (order) => {
  try {
    if (order === "cycle") process.send({ operations: await cycle(), lost });
    if (order === "sample") process.send({ sample: await sample(() => readdirSync("/proc/self/fd").length) });
  } catch (error) {
    process.send({ error: String(error?.stack ?? error) });
  }
});
process.on("disconnect", () => process.exit());
process.send({ ready: true });
