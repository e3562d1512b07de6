// Changed requests over HTTP: each gets a response, none says what is inside of the server, and the next client is served as
// before.
import { once } from "node:events";
import { connect } from "node:net";
import { changed } from "../mutate-input.mjs";

/**
 * Milliseconds after which a request counts as unanswered, and for which the server is waited for before the client ends its
 * side.
 */
const [UNANSWERED, SILENCE] = [30_000, 1_000];
/** Requests under way at once. */
const AT_ONCE = 16;
/** Requests between two that must succeed. */
const CONTROL_EVERY = 50;
/** Texts that only the inside of a server knows: a place in its code. */
export const INSIDE = /(?:\n|\\n)\s+at |node:internal|\.(?:ts|mjs):\d+/;
const TOKENS = [
  "mcp-session-id",
  "tools/call",
  "2026-07-28",
  "2025-11-25",
  "chunked",
  "Content-Length",
  "100-continue",
  "application/json",
];

const textOf = ({ method, headers, body }) => {
  const lines = Object.entries({ host: "127.0.0.1", ...headers, connection: "close" }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const length = method === "POST" ? `content-length: ${Buffer.byteLength(body)}\r\n` : "";
  return `${method} /mcp HTTP/1.1\r\n${lines.join("")}${length}\r\n${body}`;
};

/** What comes back for the bytes: until the server closes, or until the head if the response may go on for ever. */
async function exchange(port, text, isOpenEnded) {
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  socket.setEncoding("utf8").on("error", () => undefined);
  socket.on("data", (part) => {
    answer += part;
    if (isOpenEnded && answer.includes("\r\n\r\n")) socket.destroy();
  });
  socket.write(text);
  const quiet = setTimeout(() => isOpenEnded && socket.end(), SILENCE);
  const dead = setTimeout(() => socket.destroy(new Error("unanswered")), UNANSWERED);
  let unanswered = false;
  socket.on("error", ({ message }) => (unanswered ||= message === "unanswered"));
  await once(socket, "close").catch(() => undefined);
  clearTimeout(quiet);
  clearTimeout(dead);
  return { answer, unanswered };
}

/** What is wrong with an answer; undefined if nothing is. */
function faultOf({ answer, unanswered }, isWhole) {
  if (unanswered) return `no end of the response within ${UNANSWERED} ms`;
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
  if (isWhole && status === 0) return "the connection ended without a response";
  if (status >= 500 && status !== 503) return `status ${status}`;
  return INSIDE.test(answer) ? "the response tells what is inside" : undefined;
}

/** A request that any client may send. */
const call = (headers, body) => textOf({ method: "POST", headers, body: JSON.stringify(body) });

export class HttpTarget {
  #session = "";

  constructor(port, seeds, random) {
    Object.assign(this, { port, seeds, random, tried: 0, statuses: new Map(), faults: [] });
  }

  /** Sends `count` changed requests. */
  async run(count, onProgress) {
    await this.#control();
    let left = count;
    const lane = async () => {
      while (left-- > 0 && this.faults.length < 10) {
        await this.#attempt();
        if (++this.tried % CONTROL_EVERY === 0) await this.#control();
        if (this.tried % 2_000 === 0) onProgress(this.tried);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    await this.#control();
  }

  async #attempt() {
    const { random, seeds } = this;
    const seed = random.pick(seeds);
    const isWhole = random.chance(0.6);
    const text = isWhole ? this.#changedParts(seed) : changed(textOf(seed), textOf(random.pick(seeds)), "text", TOKENS, random);
    const bytes = text.replaceAll("{session}", this.#session);
    const isOpenEnded = !isWhole || bytes.startsWith("GET") || bytes.includes("subscriptions/listen");
    const got = await exchange(this.port, bytes, isOpenEnded);
    const status = got.answer.slice(9, 12);
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    const fault = faultOf(got, isWhole);
    if (fault !== undefined) this.faults.push({ fault, input: bytes, answer: got.answer.slice(0, 2_000) });
    const opened = /^mcp-session-id: (\S+)/im.exec(got.answer)?.[1];
    if (opened !== undefined && opened !== this.#session) await this.#end(opened);
  }

  /** The body changed, and a header now and then: HTTP itself stays as it must be. */
  #changedParts(seed) {
    const { random, seeds } = this;
    const body =
      seed.body === "" ? "" : changed(seed.body, random.pick(seeds).body || "{}", "json", TOKENS, random).toWellFormed?.();
    const headers = { ...seed.headers };
    if (random.chance(0.3)) {
      const name = random.pick(Object.keys(headers));
      const value = changed(headers[name], random.pick(TOKENS), "text", TOKENS, random).replaceAll(/[^\t -~]/g, "");
      if (random.chance(0.2)) delete headers[name];
      else headers[name] = value;
    }
    return textOf({ ...seed, headers, body: body ?? seed.body });
  }

  /** What a well-behaved client sends must succeed, on both families of revisions. */
  async #control() {
    const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    if (!(await this.#isAlive(json))) await this.#open(json);
    if (!(await this.#isAlive(json)))
      this.faults.push({ fault: "a session of a well-behaved client is not served", input: "", answer: "" });
    const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };
    const params = { name: "echo", arguments: { text: "control" }, _meta };
    const headers = { ...json, "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "echo" };
    const { answer } = await exchange(
      this.port,
      call(headers, { jsonrpc: "2.0", id: "control", method: "tools/call", params }),
      false,
    );
    if (!/"control"/.test(answer) || !answer.includes("HTTP/1.1 200"))
      this.faults.push({ fault: "a well-behaved client is not served", input: "", answer });
  }

  async #isAlive(json) {
    const headers = { ...json, "mcp-session-id": this.#session, "mcp-protocol-version": "2025-11-25" };
    const { answer } = await exchange(this.port, call(headers, { jsonrpc: "2.0", id: "alive", method: "ping" }), false);
    if (INSIDE.test(answer))
      this.faults.push({ fault: "the response to a well-behaved client tells what is inside", input: "", answer });
    return this.#session !== "" && answer.includes("HTTP/1.1 200") && answer.includes('"alive"');
  }

  /** Opens the session that changed requests name: one of them may end it. */
  async #open(json) {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "control", version: "1" } };
    const { answer } = await exchange(this.port, call(json, { jsonrpc: "2.0", id: 1, method: "initialize", params }), false);
    this.#session = /^mcp-session-id: (\S+)/im.exec(answer)?.[1] ?? "";
    const headers = { ...json, "mcp-session-id": this.#session, "mcp-protocol-version": "2025-11-25" };
    await exchange(this.port, call(headers, { jsonrpc: "2.0", method: "notifications/initialized" }), false);
  }

  async #end(session) {
    await exchange(this.port, textOf({ method: "DELETE", headers: { "mcp-session-id": session }, body: "" }), false);
  }
}
