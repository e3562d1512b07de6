// The checks of a pair: what each must see, and Tenon's client, which makes them. The clients in bench/languages/programs make the same.
import { setTimeout as pause } from "node:timers/promises";
import { connect } from "tenon";

const NOTE = "mem://note";
const ODD_TEXT = 'héllo 世界 "quoted"\\n';
const SECONDS = 20;

/** What a client must see, by the check. `revision` is that of the family. */
export const EXPECTED = {
  revision: undefined,
  lists: {
    tools: ["add", "ask", "echo", "fail", "sample", "steps", "touch", "wait", "waited"],
    resources: [NOTE],
    prompts: ["greet"],
  },
  call: { text: "5", structured: { sum: 5 } },
  text: ODD_TEXT,
  resource: "a note",
  prompt: "Hello Bo",
  "tool error": { isError: true, text: "it failed" },
  "unknown tool": "refused",
  "wrong arguments": "refused",
  progress: [1, 2, 3, 4, 5],
  cancellation: "cancelled",
  elicitation: "accept:Bo",
  sampling: "sampled: hi",
  subscription: [NOTE],
};

export const REVISIONS = { 2025: "2025-11-25", 2026: "2026-07-28" };

const textOf = ({ content }) => content[0]?.text;

const all = async (items) => {
  const found = [];
  for await (const item of items) found.push(item);
  return found;
};

/** The last answer of `ask`, which is the wanted one unless ten seconds pass. */
async function until(wanted, ask) {
  const end = Date.now() + 10_000;
  let got = await ask();
  while (got !== wanted && Date.now() < end) {
    await pause(20);
    got = await ask();
  }
  return got;
}

async function refused(client, name, args) {
  try {
    const { isError } = await client.callTool(name, args);
    return isError === true ? "refused" : "no error";
  } catch {
    return "refused";
  }
}

async function cancellation(client) {
  const giveUp = new AbortController();
  const waiting = client.callTool("wait", {}, { signal: giveUp.signal }).then(
    () => "the call ended",
    () => undefined,
  );
  const waited = async () => textOf(await client.callTool("waited", {}));
  await until("waiting", waited);
  giveUp.abort();
  return (await waiting) ?? until("cancelled", waited);
}

async function subscription(client) {
  const changes = await client.listen({ resources: [NOTE] });
  await client.callTool("touch", {});
  const timer = setTimeout(() => void changes.close(), 10_000);
  const seen = [];
  for await (const change of changes) {
    seen.push(change.uri);
    break;
  }
  clearTimeout(timer);
  return seen;
}

/** What Tenon's client asks, by the check. */
const ASKED = {
  revision: (client) => client.protocolVersion,
  lists: async (client) => ({
    tools: (await all(client.tools())).map(({ name }) => name).sort(),
    resources: (await all(client.resources())).map(({ uri }) => uri),
    prompts: (await all(client.prompts())).map(({ name }) => name),
  }),
  call: async (client) => {
    const result = await client.callTool("add", { a: 2, b: 3 });
    return { text: textOf(result), structured: result.structuredContent };
  },
  text: async (client) => textOf(await client.callTool("echo", { text: ODD_TEXT })),
  resource: async (client) => (await client.readResource(NOTE)).contents[0].text,
  prompt: async (client) => (await client.getPrompt("greet", { name: "Bo" })).messages[0].content.text,
  "tool error": async (client) => {
    const result = await client.callTool("fail", {});
    // An SDK may put words of its own before those of the tool.
    const { text } = EXPECTED["tool error"];
    return { isError: result.isError, text: textOf(result)?.endsWith(text) ? text : textOf(result) };
  },
  "unknown tool": (client) => refused(client, "nope", {}),
  "wrong arguments": (client) => refused(client, "add", { a: "x", b: 3 }),
  progress: async (client) => {
    const seen = [];
    await client.callTool("steps", { count: 5 }, { onProgress: ({ progress }) => seen.push(progress) });
    await until(true, () => seen.length >= 5);
    return seen;
  },
  cancellation,
  elicitation: async (client) => textOf(await client.callTool("ask", {})),
  sampling: async (client) => textOf(await client.callTool("sample", {})),
  subscription,
};

/** Connects to a server and makes all checks. Resolves with what each saw: { value } or { error }. */
export async function askAll(target, family) {
  const client = await connect(target, {
    revision: REVISIONS[family],
    onElicit: () => ({ action: "accept", content: { name: "Bo" } }),
    onSample: () => ({ role: "assistant", model: "none", content: { type: "text", text: "hi" } }),
    onError: () => {},
  });
  const seen = {};
  for (const [name, ask] of Object.entries(ASKED)) {
    const late = pause(SECONDS * 1_000, { error: `no end after ${SECONDS} seconds` }, { ref: false });
    const asked = Promise.resolve()
      .then(() => ask(client))
      .then(
        (value) => ({ value }),
        (error) => ({ error: String(error.message) }),
      );
    seen[name] = await Promise.race([asked, late]);
  }
  await client.close();
  return seen;
}
