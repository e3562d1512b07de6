// Changed lines over stdio: each line that is a request gets its response, every line that comes back is a message, and the
// process goes on.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { changed } from "../mutate-input.mjs";
import { INSIDE } from "./http.mjs";

/** Milliseconds after which a request counts as unanswered; lines for one process, and lines between two waits. */
const [UNANSWERED, PER_PROCESS, PER_PART] = [30_000, 500, 50];
const TOKENS = ["tools/call", "jsonrpc", "2026-07-28", "2025-11-25", "notifications/", "arguments", "_meta"];

const parsed = (line) => {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};

/** Whether a line is a request that must be answered under its id. `subscriptions/listen` is answered when it ends. */
function isRequest(message) {
  const { jsonrpc, method } = Object(message);
  return (
    jsonrpc === "2.0" &&
    typeof method === "string" &&
    method !== "subscriptions/listen" &&
    !("result" in message) &&
    !("error" in message)
  );
}

export class StdioTarget {
  #next = 0;

  constructor(command, seeds, random) {
    Object.assign(this, { command, seeds, random, tried: 0, faults: [] });
  }

  async run(count, onProgress) {
    while (this.tried < count && this.faults.length < 10) {
      await this.#process(Math.min(PER_PROCESS, count - this.tried));
      onProgress(this.tried);
    }
  }

  /** One process from its begin to its end: its first line decides the revision, so half of them begin as a client does. */
  async #process(count) {
    const child = spawn(process.execPath, this.command, { stdio: ["pipe", "pipe", "pipe"] });
    const waiting = new Map();
    let told = () => undefined;
    createInterface({ input: child.stderr }).on("line", (line) => line.startsWith("FAULT") && this.#fault(line, ""));
    createInterface({ input: child.stdout }).on("line", (line) => {
      const messages = [parsed(line)].flat();
      if (messages.some((one) => one?.jsonrpc !== "2.0")) this.#fault("a line of the server is no message", line);
      if (INSIDE.test(line)) this.#fault("a line of the server tells what is inside", line);
      for (const one of messages) waiting.delete(one?.id);
      if (waiting.size === 0) told();
    });
    child.stdin.on("error", () => undefined);
    const ended = once(child, "close").then(([code]) => ({ ended: code }));
    if (this.random.chance(0.5)) this.#handshake(child);
    for (let sent = 0; sent < count;) {
      for (const stop = Math.min(count, sent + PER_PART); sent < stop; sent++) this.#send(child, waiting);
      const answered = new Promise((resolve) => (told = () => resolve("answered")));
      this.#write(child, { jsonrpc: "2.0", id: this.#id(), method: "ping" }, waiting);
      const late = new Promise((resolve) => setTimeout(resolve, UNANSWERED, "late").unref());
      const outcome = await Promise.race([answered, ended, late]);
      if (outcome === "answered") continue;
      const lines = [...waiting.values()].slice(0, 5).join("\n");
      this.#fault(
        outcome === "late" ? `${waiting.size} requests are not answered` : `the process ended with ${outcome.ended}`,
        lines,
      );
      break;
    }
    child.stdin.end();
    const killer = setTimeout(() => child.kill("SIGKILL"), UNANSWERED);
    const { ended: code } = await ended;
    clearTimeout(killer);
    if (code !== 0) this.#fault(`the process ended with ${code}`, "");
  }

  #handshake(child) {
    child.stdin.write(`${this.seeds.find((line) => line.includes('"initialize"'))}\n`);
    child.stdin.write(`${this.seeds.find((line) => line.includes("notifications/initialized"))}\n`);
  }

  #send(child, waiting) {
    const { random, seeds } = this;
    this.tried++;
    const line = changed(random.pick(seeds), random.pick(seeds), "json", TOKENS, random).replaceAll(/[\r\n]/g, " ");
    const message = parsed(line);
    if (isRequest(message) && random.chance(0.8)) this.#write(child, { ...message, id: this.#id() }, waiting);
    else child.stdin.write(`${line}\n`);
  }

  #write(child, message, waiting) {
    const line = JSON.stringify(message);
    waiting.set(message.id, line);
    child.stdin.write(`${line}\n`);
  }

  #id() {
    return `request-${this.#next++}`;
  }

  #fault(fault, input) {
    this.faults.push({ fault, input });
  }
}
