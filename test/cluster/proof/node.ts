/**
 * One node of a proof, as a process: serves with stores of an engine, and writes effects to the ledger, which the system keeps although
 * this process is killed.
 *   node node.mjs <engine> <url> <port> <ledger> <number>
 */
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { serveHttp } from "tenon/node";
import { natsStores } from "tenon/stores/nats";
import { postgresStores } from "tenon/stores/postgres";
import { redisStores } from "tenon/stores/redis";
import { makeServer } from "./server.ts";

const [engine, url, port, ledger, node] = process.argv.slice(2) as [string, string, string, string, string];
const options = { url, onError: () => undefined };
const make = engine === "redis" ? redisStores : engine === "nats" ? natsStores : postgresStores;
const stores = make(options);
/** The engine may be away when a node starts, as after a fault. */
for (let isReady = false; !isReady;) {
  isReady = await stores.ready().then(
    () => true,
    () => sleep(100, false),
  );
}

const effect = (operation: string): void => appendFileSync(ledger, `${JSON.stringify({ operation, node, at: performance.now() })}\n`);
await serveHttp(makeServer({ effect, states: stores.states, work: 100 }), { port: Number(port), stores, health: true });
console.log("ready");
