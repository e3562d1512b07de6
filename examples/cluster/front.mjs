/**
 * A balancer for this example, without affinity: each request goes to the next node that is ready. Use HAProxy or nginx for real ones
 * (docs/serving/cluster.md).
 */
import { createServer, request } from "node:http";

/** Milliseconds between two checks of a node. */
const CHECK_MS = 500;
/** Milliseconds that a node has to answer a check. */
const ANSWER_MS = 2_000;

export class Front {
  /** The port of each node that runs, by its name. */
  #ports = new Map();
  #ready = new Set();
  #checks;
  server;
  #turn = 0;

  constructor() {
    this.#checks = setInterval(
      () => [...this.#ports.values()].map((port) => this.#check(port)),
      CHECK_MS,
    );
    this.server = createServer(
      (incoming, response) =>
        void this.#serve(incoming, response).catch(() => response.destroy()),
    );
  }

  /** Tells where a node listens, or with `undefined` that it has ended. */
  setPort(name, port) {
    this.#ready.delete(this.#ports.get(name));
    if (port === undefined) this.#ports.delete(name);
    else this.#ports.set(name, port);
  }

  async #check(port) {
    const { ok } = await fetch(`http://127.0.0.1:${port}/readyz`, {
      signal: AbortSignal.timeout(ANSWER_MS),
    }).catch(() => ({ ok: false }));
    if (ok) this.#ready.add(port);
    else this.#ready.delete(port);
  }

  /** The nodes that are ready, the next one first. */
  #order() {
    const ready = [...this.#ports.values()].filter((port) =>
      this.#ready.has(port),
    );
    const first = this.#turn++ % Math.max(1, ready.length);
    return [...ready.slice(first), ...ready.slice(0, first)];
  }

  async #serve(incoming, response) {
    const parts = [];
    for await (const part of incoming) parts.push(part); // the nodes limit the size of a body; a balancer for others does so too
    this.#pass(
      { incoming, response, body: Buffer.concat(parts) },
      this.#order(),
    );
  }

  #pass(exchange, [port, ...others]) {
    const { incoming, response, body } = exchange;
    if (port === undefined) {
      response.writeHead(503, { "retry-after": "1" }).end();
      return;
    }
    const { method, url, headers } = incoming;
    const passed = request(
      { host: "127.0.0.1", port, method, path: url, headers, agent: false },
      (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
        answer.once("error", () => response.destroy());
      },
    );
    passed.once("error", (error) => {
      // A request that may have been read must not be sent to another node: it may have run.
      if (error.code === "ECONNREFUSED" && !response.headersSent)
        this.#pass(exchange, others);
      else if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    });
    response.once("close", () => passed.destroy());
    passed.end(body);
  }

  close() {
    clearInterval(this.#checks);
    this.server.closeAllConnections();
    this.server.close();
  }
}
