/**
 * A program with three workers, as a node of a proof that has one machine and no engine. Each process says which it is and when
 * it serves, and writes effects to the ledger, which the system keeps although the process is killed.
 *   node worker.mjs <port> <ledger>
 */
import cluster from "node:cluster";
import { appendFileSync } from "node:fs";
import { serveHttp } from "tenon/node";
import { makeServer } from "./server.ts";

const [port, ledger] = process.argv.slice(2) as [string, string];
const node = String(process.pid);
const effect = (operation: string): void =>
  appendFileSync(ledger, `${JSON.stringify({ operation, node, at: performance.now() })}\n`);
/** All clients have one address, and leave sessions behind when a fault meets their last request. */
const sessions = { maxPerPrincipal: 10_000 };
await serveHttp(makeServer({ effect, work: 100 }), {
  port: Number(port),
  workers: 3,
  health: true,
  sessions,
  onError: () => undefined,
});
console.log(cluster.isWorker ? `worker ${process.pid}` : "ready");
