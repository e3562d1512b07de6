import { deepEqual, equal, match } from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { BOTH, textOf } from "../../support/bench.mjs";

/** The API: it keeps what it was asked. */
async function startApi(bench) {
  const asked = [];
  const api = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    asked.push({ at: `${request.method} ${request.url}`, key: request.headers["x-key"], body });
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ name: "Rex", path: request.url }));
  }).listen(0, "127.0.0.1");
  await once(api, "listening");
  bench.later(() => api.close());
  return { asked, url: `http://127.0.0.1:${api.address().port}` };
}

export async function test(bench) {
  const { asked, url } = await startApi(bench);
  for (const revision of BOTH) {
    const client = await bench.stdio("server.ts", { revision, env: { API_URL: url, API_KEY: "k-1" } });
    const { tools } = await client.listTools();
    deepEqual(tools.map(({ name }) => name).sort(), ["addPet", "getPet"]);
    match(textOf(await client.callTool({ name: "getPet", arguments: { id: "a/b" } })), /Rex/);
    const { properties } = tools.find(({ name }) => name === "addPet").inputSchema;
    const pet = { name: "Tom" };
    await client.callTool({ name: "addPet", arguments: "name" in properties ? pet : { [Object.keys(properties)[0]]: pet } });
  }
  deepEqual(
    asked.map(({ at }) => at),
    ["GET /pets/a%2Fb", "POST /pets", "GET /pets/a%2Fb", "POST /pets"],
  );
  deepEqual(JSON.parse(asked[1].body), { name: "Tom" });
  equal(
    asked.every(({ key }) => key === "k-1"),
    true,
    "a request has no key",
  );
}
