/**
 * One node of a proof, as a process: serves with stores of an engine, and writes effects to the ledger, which the system keeps
 * although this process is killed.
 *   node node.mjs <engine> <url> <port> <ledger> <number>
 */
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { serveHttp } from "tenon/node";
import { natsStores } from "tenon/stores/nats";
import { postgresStores } from "tenon/stores/postgres";
import { redisStores } from "tenon/stores/redis";
import { makeServer } from "./server.ts";

/** Milliseconds for which a draining node still serves, until the balancer has noticed, and then for calls that run. */
const [DRAIN_DELAY, DRAIN] = [3_000, 20_000];

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

const effect = (operation: string): void =>
  appendFileSync(ledger, `${JSON.stringify({ operation, node, at: performance.now() })}\n`);
/** All clients have one address, and leave sessions behind when a fault meets their last request. */
const sessions = { maxPerPrincipal: 10_000 };
const served = { port: Number(port), stores, health: true, drainDelay: DRAIN_DELAY, sessions };
const endpoint = await serveHttp(makeServer({ effect, states: stores.states, work: 100 }), served);
process.once("SIGTERM", () => void endpoint.drain(DRAIN).then(() => stores.close()));
console.log("ready");
