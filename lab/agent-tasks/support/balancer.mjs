// A balancer as a cloud has it: each request goes to the next process.
import { once } from "node:events";
import { createServer, request } from "node:http";

/** Serves until the test ends. Resolves to the URL that stands for all of `urls`. */
export async function startBalancer(bench, urls) {
  let next = 0;
  const balancer = createServer((incoming, response) => {
    const url = urls[(next += 1) % urls.length];
    const sent = request(url, { method: incoming.method, headers: incoming.headers }, (received) => {
      response.writeHead(received.statusCode, received.headers);
      received.pipe(response);
    });
    sent.on("error", () => response.destroy());
    incoming.pipe(sent);
  }).listen(0, "127.0.0.1");
  await once(balancer, "listening");
  bench.later(() => {
    balancer.closeAllConnections();
    balancer.close();
  });
  return `http://127.0.0.1:${balancer.address().port}/mcp`;
}
