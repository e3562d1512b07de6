import { equal, ok } from "node:assert/strict";
import { request } from "node:http";
import { BOTH, textOf } from "../../support/bench.mjs";

/** The status of a request with a body and headers that fetch would not send. */
const statusOf = (url, headers) =>
  new Promise((resolve, reject) => {
    const all = { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers };
    const sent = request(url, { method: "POST", headers: all }, (response) => resolve(response.resume().statusCode));
    sent.on("error", reject).end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }));
  });

export async function test(bench) {
  const { url } = await bench.serve();
  for (const revision of ["2024-11-05", ...BOTH]) {
    const client = await bench.http(url, { revision });
    equal(textOf(await client.callTool({ name: "hello", arguments: { name: "Ada" } })), "Hello, Ada!");
  }
  equal((await fetch(new URL("/livez", url))).status, 200);
  ok((await statusOf(url, { origin: "https://evil.example" })) >= 400, "a page of another site may call it");
  ok((await statusOf(url, { host: "evil.example" })) >= 400, "a rebound name of a host may call it");
}
