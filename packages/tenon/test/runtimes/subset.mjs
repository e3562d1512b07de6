// What a user does with a connection, as far as it depends on a runtime: headers, bodies, streams, timers, aborts.
// Plain JavaScript that imports nothing, so that it runs as it is in Node, Bun, Deno and a page.

const BOUND_MS = 40_000;

/** One check each, in this order, on one client. They throw where the outcome is not the expected one. */
const checks = {
  async list(client) {
    const names = [];
    for await (const tool of client.tools()) names.push(tool.name);
    equal(names.slice(0, 3), ["add", "echo", "blocks"]);
  },
  async call(client) {
    const result = await client.callTool("add", { a: 20, b: 22 });
    equal(result.data, { sum: 42 });
    equal((await client.callTool("echo", { text: "naïve 🙂" })).text, '{"text":"naïve 🙂"}');
  },
  async "tool error"(client) {
    const result = await client.callTool("fail");
    equal([result.isError, result.text], [true, "The disk is full"]);
  },
  async "protocol error"(client) {
    equal((await failureOf(client.callTool("no such tool"))).code, -32602);
  },
  async progress(client) {
    const steps = [];
    const result = await client.callTool("count", { to: 4 }, { onProgress: ({ message }) => void steps.push(message) });
    equal(result.text, "done");
    equal(steps, ["step 1", "step 2", "step 3", "step 4"]);
  },
  async resource(client) {
    const text = await client.readResource("memo://hello");
    const bytes = await client.readResource("memo://bytes");
    equal([text.contents[0].text, bytes.contents[0].blob], ["Hello", "AP8B"]);
  },
  async prompt(client) {
    const { messages } = await client.getPrompt("greet", { name: "Ada" });
    equal(messages[0].content.text, "Greet Ada, friendly.");
  },
  async cancel(client) {
    const giveUp = new AbortController();
    const reason = new Error("changed my mind");
    const call = client.callTool("hold", {}, { signal: giveUp.signal, onProgress: () => giveUp.abort(reason) });
    equal(await failureOf(call), reason);
    await until(async () => (await client.callTool("held")).data.held === 0, "the handler was not told");
  },
  async list_changed(client) {
    const changes = await client.listen({ tools: true, prompts: true });
    try {
      const { text: added } = await client.callTool("grow");
      const kinds = [(await changes.next()).value.kind, (await changes.next()).value.kind];
      equal(kinds.sort(), ["prompts", "tools"]);
      const names = [];
      for await (const tool of client.tools()) names.push(tool.name);
      equal(names.includes(added), true);
    } finally {
      await changes.close();
    }
  },
  async close(client) {
    await client.close();
    await client.closed;
    equal((await failureOf(client.callTool("add", { a: 1, b: 2 }))).code, -32000);
  },
};

/** The newest revision of each kind. */
export const REVISIONS = ["2025-11-25", "2026-07-28"];

/** The names of what `runSubset` reports, in order. */
export const CHECKS = ["connect", ...Object.keys(checks)];

/**
 * Runs all of it in one revision against a server; yields `{ revision, check, ok, error? }` for each check.
 * `connect` is that of `tenon/client`.
 */
export async function* runSubset(connect, target, revision) {
  let client;
  yield attempt(revision, "connect", async () => {
    client = await connect(target, { revision, timeout: BOUND_MS });
    equal(client.protocolVersion, revision);
  });
  if (client === undefined) return;
  for (const [check, run] of Object.entries(checks)) yield attempt(revision, check, () => run(client));
}

async function attempt(revision, check, run) {
  let timer;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${BOUND_MS} ms`)), BOUND_MS);
  });
  try {
    await Promise.race([run(), late]);
    return { revision, check, ok: true };
  } catch (error) {
    return { revision, check, ok: false, error: describe(error) };
  } finally {
    clearTimeout(timer);
  }
}

/** The error with what caused it, on one line. */
function describe(error) {
  return error instanceof Error
    ? `${error.name}: ${error.message}${error.cause ? ` <- ${describe(error.cause)}` : ""}`
    : String(error);
}

function equal(actual, expected) {
  if (actual === expected) return;
  const [is, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (is !== wanted || actual instanceof Error) throw new Error(`${is} instead of ${wanted}`, { cause: actual });
}

async function failureOf(promise) {
  const [outcome] = await Promise.allSettled([promise]);
  if (outcome.status === "rejected") return outcome.reason;
  throw new Error(`succeeded with ${JSON.stringify(outcome.value)}`);
}

async function until(holds, complaint) {
  const deadline = Date.now() + BOUND_MS / 2;
  while (!(await holds())) if (Date.now() > deadline) throw new Error(complaint);
}
