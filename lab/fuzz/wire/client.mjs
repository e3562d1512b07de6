// The client of a hostile server, in a process of its own: it calls, and sends its parent what is wrong with how the calls ended.
import { connect } from "tenon/client";

const [mode, target, count, seed, control] = process.argv.slice(2);
/** Milliseconds of a call: one that uses them all up waited for an answer that it had, or that could not come any more. */
const TIMEOUT = control === "broken" ? 1_000 : 60_000;
/** Attempts of one connection, attempts at once, and bytes by which the heap may grow. */
const [PER_CONNECTION, AT_ONCE, MAX_GROWTH] = [100, 10, 40 * 2 ** 20];
const FAULTS = new Set(["TypeError", "ReferenceError", "SyntaxError", "RangeError", "InternalError", "AssertionError"]);
const faults = [];
/** How many calls ended how: the name of the error, or "result". */
const outcomes = {};
const counted = (name) => (outcomes[name] = (outcomes[name] ?? 0) + 1);
const fault = (what, error) => faults.push({ fault: `${mode}: ${what}`, input: String(error?.stack ?? "") });
const report = (error) => FAULTS.has(error?.name) && fault(`the operator is told of a ${error.name}`, error);
for (const event of ["uncaughtException", "unhandledRejection"]) process.on(event, (error) => fault(event, error));

const options = {
  timeout: TIMEOUT,
  onError: report,
  onLog: () => undefined,
  onElicit: () => ({ action: "accept", content: { text: "me" } }),
  onSample: () => ({ role: "assistant", model: "none", content: { type: "text", text: "!" } }),
  roots: [{ uri: "file:///tmp", name: "tmp" }],
};
const REQUESTS = [
  (client) => client.callTool("echo", { text: "changed" }),
  (client) => client.listTools(),
  (client) => client.readResource("hostile://one"),
  (client) => client.listPrompts(),
  (client) => client.getPrompt("greet", {}),
  (client) => client.callTool("echo", { text: "changed" }, { onProgress: () => undefined }),
];

/** A call with an answer that is right must succeed, also beside those that are not, unless the connection has ended. */
async function right(client) {
  const { contents } = await client.readResource("hostile://right");
  if (contents[0]?.text !== "right") fault(`a right answer was read as ${JSON.stringify(contents)}`);
}

async function attempt(client, number) {
  try {
    await REQUESTS[number % REQUESTS.length](client);
    counted("result");
  } catch (error) {
    counted(error?.name);
    if (FAULTS.has(error?.name) || !(error instanceof Error)) fault(`a call ended with a ${error?.name}`, error);
    else if (error.name === "RequestTimeoutError") fault("a call waited for its whole time", error);
  }
}

async function onOneConnection(from, size) {
  const at =
    mode === "http" ? target : { command: process.execPath, args: [target, "stdio", String(Number(seed) + from), control ?? ""] };
  const client = await connect(at, { ...options, ...((from / PER_CONNECTION) % 2 === 0 ? {} : { revision: "stateful" }) });
  let closed = false;
  void client.closed.then(() => (closed = true));
  for (let done = 0; done < size; done += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, size - done) }, (_, index) => attempt(client, from + done + index)));
    if (closed) break;
    await right(client).catch((error) => closed || fault("a right answer was not taken", error));
  }
  await client.close();
}

const before = heap();
let tried = 0;
for (; tried < Number(count) && faults.length < 10; tried += PER_CONNECTION) {
  await onOneConnection(tried, Math.min(PER_CONNECTION, Number(count) - tried)).catch((error) =>
    fault("the connection was not opened", error),
  );
  if ((tried + PER_CONNECTION) % 1_000 === 0) process.send({ progress: tried + PER_CONNECTION });
}
const growth = heap() - before;
if (growth > MAX_GROWTH) fault(`the heap grew by ${growth} bytes`);
process.send({ tried: Math.min(tried, Number(count)), faults, growth, outcomes }, () => process.disconnect());

function heap() {
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}
