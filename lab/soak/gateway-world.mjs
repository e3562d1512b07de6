// The gateway of the soak with its 50 servers and its callers, in one process. A cycle is ten operations of each caller, and when
// it is over nothing of it may be left. The texts of each caller carry its mark; whatever a caller gets is searched for the marks
// of others.
import { connect } from "tenon";
import { createGateway } from "tenon/gateway";
import { createFetchHandler } from "tenon/server";
import { makeServers } from "./gateway-servers.mjs";
import { sample } from "./sample.mjs";

const CALLERS = Number(process.argv[2]);
const REVISIONS = ["2026-07-28", "2025-11-25"];
const MARK = /MARK-(\d+)-/g;
const mixes = process.argv.includes("--mix");

const found = { foreign: [], wrong: [], operations: 0, searched: 0 };

/** Searches a text that one caller gets, or that is sent for it. */
function searchFor(caller, text, what) {
  found.searched++;
  for (const [mark, number] of text.matchAll(MARK))
    if (number !== String(caller) && found.foreign.length < 10) found.foreign.push(`${what} for caller ${caller} has ${mark}`);
}

const servers = makeServers(searchFor);
const names = (kind) => Object.keys(servers).filter((name) => servers[name].kind === kind);
const [HONEST, ...HOSTILE] = ["honest", "lies", "stalls", "ends", "floods"].map(names);

const gateway = createGateway({
  servers: Object.fromEntries(Object.entries(servers).map(([name, { entry }]) => [name, entry])),
  pins: {},
  readyTimeout: 100,
  idleTimeout: 2_000,
  // On a slow machine a caller makes another attempt before its first one is there.
  limits: { maxConnections: 1_000 },
  onError: () => undefined,
});
if (mixes) {
  // The negative control: what one caller said is in the result of the next one, once in a hundred calls.
  let last = "";
  let calls = 0;
  gateway.use("tools/call", (next) => async (context) => {
    const result = await next(context);
    const before = last;
    last = String(context.params.arguments?.text ?? "");
    return ++calls % 100 === 0 ? { ...result, content: [{ type: "text", text: before }] } : result;
  });
}
const auth = {
  authorize: (request) => ({
    auth: { issuer: "https://as.example", scopes: [], claims: {} },
    principal: request.header("authorization"),
    until: Infinity,
  }),
  insufficientScope: () => ({ status: 403, headers: [], message: "Insufficient scope" }),
};
const handler = createFetchHandler(gateway, { auth, onError: () => undefined });

/** A stream of a response whose pieces are searched; a mark may be cut between two of them. */
function searched(caller, response) {
  if (response.body === null) return response;
  const decoder = new TextDecoder();
  let rest = "";
  const search = new TransformStream({
    transform(chunk, controller) {
      const text = rest + decoder.decode(chunk, { stream: true });
      searchFor(caller, text, "a message");
      rest = text.slice(-20);
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(search), response);
}

class Caller {
  #number;
  #client;

  constructor(number) {
    this.#number = number;
  }

  get #mark() {
    return `MARK-${this.#number}-`;
  }

  async open() {
    const number = this.#number;
    const target = {
      url: "http://localhost/mcp",
      headers: { authorization: `caller-${number}` },
      fetch: async (url, init) => searched(number, await handler(new Request(url, init))),
    };
    this.#client = await connect(target, {
      revision: REVISIONS[number % 2],
      logLevel: "debug",
      onLog: () => undefined,
      onElicit: () => ({ action: "accept", content: { name: this.#mark } }),
      roots: [{ uri: `file:///${this.#mark}` }],
      onError: () => undefined,
    });
  }

  async close() {
    await this.#client?.close();
    this.#client = undefined;
  }

  /** A call of an honest server: its result is the caller's own text. */
  async #call(server, tool) {
    const options = tool === "tell" ? { onProgress: () => undefined } : {};
    const { text } = await this.#client.callTool(`${server}__${tool}`, { text: this.#mark }, options);
    if (!mixes && !text.startsWith(this.#mark) && found.wrong.length < 10)
      found.wrong.push(`${server} ${tool}: ${text.slice(0, 200)}`);
  }

  async cycle(number) {
    const at = this.#number + number;
    if (this.#client === undefined || at % 20 === 0) {
      await this.close();
      await this.open();
    }
    for (const [n, tool] of ["echo", "tell", "ask", "roots", "echo"].entries())
      await this.#call(HONEST[(at * 7 + n * 3) % HONEST.length], tool);
    for (const names of HOSTILE)
      await this.#client.callTool(`${names[at % names.length]}__do`, { text: this.#mark }, { timeout: 50 }).then(
        () => undefined,
        () => undefined, // what a hostile server does ends its own calls
      );
    if (at % 10 === 0) await this.#client.listTools();
    found.operations += 10;
  }
}

const callers = Array.from({ length: CALLERS }, (_, number) => new Caller(number));

async function cycle(number) {
  const results = await Promise.allSettled(callers.map((caller) => caller.cycle(number)));
  for (const { reason } of results.filter(({ status }) => status === "rejected"))
    if (found.wrong.length < 10) found.wrong.push(`${reason?.stack ?? reason}`.slice(0, 500));
}

let cycles = 0;
process.on("message", async (order) => {
  if (order === "cycle") {
    await cycle(cycles++);
    process.send({ ...found, connections: gateway.status().reduce((sum, { connections }) => sum + connections, 0) });
  }
  if (order === "sample") process.send({ sample: await sample(() => 0) });
  if (order === "close") {
    await Promise.all(callers.map((caller) => caller.close()));
    await handler.close();
    await gateway.close();
    await Promise.all(Object.values(servers).map(({ close }) => close()));
    process.exit();
  }
});
process.on("disconnect", () => process.exit()); // the soak was ended
process.send({});
