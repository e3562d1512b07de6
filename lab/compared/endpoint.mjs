// A bare HTTP client of an MCP endpoint, for measurements: no SDK stands between the figures and the server. Every reply is checked.
import { setTimeout as pause } from "node:timers/promises";

export const REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
const STATELESS = "2026-07-28";
const CLIENT = { name: "compared", version: "1.0.0" };
/** Milliseconds until a server that does not answer has failed. */
const LIMIT = 60_000;

export class Endpoint {
  #url;
  #headers = {};
  #meta;
  #id = 0;

  constructor(url) {
    this.#url = url;
  }

  /** Waits until the server answers anything. */
  async ready(child) {
    const until = performance.now() + LIMIT;
    while (performance.now() < until && child.exitCode === null) {
      try {
        await this.open("2025-11-25");
        await this.calls(1);
        return;
      } catch {
        await pause(5);
      }
    }
    throw new Error(`${this.#url} does not answer (exit code ${child.exitCode})`);
  }

  /** Whether a call of the tool is answered in that revision. */
  async speaks(revision) {
    try {
      await this.open(revision);
      await this.calls(1);
      return true;
    } catch {
      return false;
    }
  }

  /** Begins a conversation in a revision. Throws if the server chooses another one. */
  async open(revision) {
    this.#headers = { "mcp-protocol-version": revision };
    this.#meta = undefined;
    if (revision === STATELESS) {
      const of = "io.modelcontextprotocol";
      this.#meta = { [`${of}/protocolVersion`]: revision, [`${of}/clientInfo`]: CLIENT, [`${of}/clientCapabilities`]: {} };
      return;
    }
    const params = { protocolVersion: revision, capabilities: {}, clientInfo: CLIENT };
    const { result, session } = await this.#post("initialize", params);
    if (result?.protocolVersion !== revision) throw new Error(`it chose ${result?.protocolVersion}`);
    if (session !== null) this.#headers["mcp-session-id"] = session;
    const body = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });
    await (await fetch(this.#url, { method: "POST", headers: this.#all({}), body })).arrayBuffer();
  }

  /** Calls the tool so often, one call after the other. */
  async calls(count) {
    for (let at = 0; at < count; at += 1) {
      const params = { name: "add", arguments: { a: at, b: 1 }, ...(this.#meta && { _meta: this.#meta }) };
      const { result } = await this.#post("tools/call", params, this.#meta && { "mcp-method": "tools/call", "mcp-name": "add" });
      // Revisions before 2025-06-18 have the result as text only.
      const { sum } = result?.structuredContent ?? JSON.parse(result?.content?.[0]?.text ?? "{}");
      if (sum !== at + 1) throw new Error(`wrong result: ${JSON.stringify(result)}`);
    }
  }

  #all(more) {
    return { "content-type": "application/json", accept: "application/json, text/event-stream", ...this.#headers, ...more };
  }

  async #post(method, params, headers = {}) {
    const id = (this.#id += 1);
    const body = JSON.stringify({ jsonrpc: "2.0", id, method, params });
    const response = await fetch(this.#url, { method: "POST", headers: this.#all(headers), body });
    const text = await response.text();
    const json = response.headers.get("content-type")?.startsWith("text/event-stream")
      ? text
          .split("\n")
          .filter((line) => line.startsWith("data: {"))
          .at(-1)
          ?.slice("data: ".length)
      : text;
    const message = JSON.parse(json);
    if (message.id !== id) throw new Error(`no reply to ${method}: ${text}`);
    return { ...message, session: response.headers.get("mcp-session-id") };
  }
}
