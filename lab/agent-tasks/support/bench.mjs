// What the tests of tasks use: programs of the folder, started as a user would, and clients of the official SDK, so that nothing of Tenon
// judges Tenon. All of it ends with the test.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Program } from "./program.mjs";
import { freePort } from "../../../scripts/free-port.mjs";

/** The newest revision with a handshake, and the first without. */
export const BOTH = ["2025-11-25", "2026-07-28"];
const STATELESS = "2026-07-28";

export class Bench {
  #open = [];
  #said = [];

  constructor(folder) {
    this.folder = folder;
  }

  path = (name) => join(this.folder, name);
  read = (name) => readFileSync(this.path(name), "utf8");

  /** Runs `npx tsx <file> <args>`, as all programs of answers are started. */
  run(file, { args = [], env = {} } = {}) {
    const program = new Program(this.path("node_modules/.bin/tsx"), [file, ...args], { cwd: this.folder, env });
    return this.#kept(program);
  }

  /** Runs a command of the folder's packages, such as `tenon`. */
  command(name, args, env = {}) {
    return this.#kept(new Program(this.path(`node_modules/.bin/${name}`), args, { cwd: this.folder, env }));
  }

  /** Starts an HTTP server of the folder, and resolves when it answers anything. Its port is in $PORT. */
  async serve(file = "server.ts", { env = {}, path = "/mcp" } = {}) {
    const port = await freePort();
    const program = this.run(file, { env: { ...env, PORT: String(port) } });
    const url = `http://127.0.0.1:${port}${path}`;
    await program.answers(url);
    return { url, program };
  }

  /** A client of a server of the folder over stdio. */
  async stdio(file = "server.ts", { env = {}, args = [], ...options } = {}) {
    const started = { command: this.path("node_modules/.bin/tsx"), args: [file, ...args], cwd: this.folder, stderr: "pipe" };
    const transport = new StdioClientTransport({ ...started, env: { ...process.env, ...env } });
    transport.stderr?.on("data", (bytes) => this.#said.push(String(bytes)));
    return this.#connect(transport, options);
  }

  /** A client of a server at a URL. */
  http(url, { token, headers = {}, ...options } = {}) {
    const all = { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
    return this.#connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: all } }), options);
  }

  async #connect(transport, { revision = "2025-11-25", elicit, sample, on = {} }) {
    const version =
      revision === STATELESS ? { versionNegotiation: { mode: { pin: revision } } } : { supportedProtocolVersions: [revision] };
    const capabilities = { ...(elicit && { elicitation: {} }), ...(sample && { sampling: {} }) };
    const client = new Client({ name: "referee", version: "1.0.0" }, { capabilities, ...version });
    if (elicit) client.setRequestHandler("elicitation/create", ({ params }) => elicit(params));
    if (sample) client.setRequestHandler("sampling/createMessage", ({ params }) => sample(params));
    for (const [method, notice] of Object.entries(on)) client.setNotificationHandler(method, ({ params }) => notice(params));
    this.#open.push(() => client.close());
    await client.connect(transport);
    return client;
  }

  #kept(program) {
    this.#open.push(() => program.end());
    this.#said.push(() => program.stderr);
    return program;
  }

  /** Ends something else with the test. */
  later(end) {
    this.#open.push(end);
  }

  /** What programs have written to stderr. */
  complaints = () =>
    this.#said
      .map((said) => (typeof said === "string" ? said : said()))
      .join("")
      .trim();

  async close() {
    for (const end of this.#open.reverse()) await Promise.resolve(end()).catch(() => {});
  }
}

/** Reads again until what was read satisfies, or for 20 s; returns what was read last. */
export async function eventually(read, satisfies) {
  for (const until = performance.now() + 20_000; ; await pause(50)) {
    const found = await read();
    if (satisfies(found) || performance.now() > until) return found;
  }
}

/** The names of the tools that a client sees, once a server behind a gateway has started: so many. */
export const toolNames = (client, count) =>
  eventually(
    async () => (await client.listTools({}, { cacheMode: "refresh" })).tools.map(({ name }) => name).sort(),
    (names) => names.length >= count,
  );

/** The texts of a result. */
export const textOf = ({ content }) => content.map(({ text }) => text ?? "").join("\n");
