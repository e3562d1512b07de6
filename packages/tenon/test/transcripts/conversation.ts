/**
 * One conversation with the fixture server, the same in every revision, and what crossed the wire while it was had.
 *
 * Ids, times and everything else in it are deterministic, so that two recordings of one revision are equal.
 */
import { acceptorOf, connect, createMemoryPair, JsonRpcDispatcher, McpError, type Client, type ProtocolVersion } from "tenon";
import { createFixtureServer } from "../support/fixture-server.mjs";
import { Recorder } from "tenon/testing";
import { turn, VirtualClock } from "../support/virtual-clock.ts";

/** One line a message, in the order the client saw them. */
export async function recordConversation(revision: ProtocolVersion): Promise<string> {
  const clock = new VirtualClock();
  const server = createFixtureServer({ clock });
  const [near, far] = createMemoryPair();
  const served = acceptorOf(server).accept(new JsonRpcDispatcher(far, { clock }));
  const recorder = new Recorder(near);
  const client = await connect(recorder, {
    revision,
    clock,
    validateOutput: false,
    clientInfo: { name: "recorder", version: "0.0.1", title: "Recorder" },
    roots: [{ uri: "file:///work" }],
    onElicit: () => ({ action: "decline" }),
  });
  await talk(client);
  await cancel(client);
  await watch(client, (uri) => server.resourceUpdated(uri));
  await client.close();
  await served;
  await server.close();
  return recorder.text;
}

async function talk(client: Client): Promise<void> {
  await client.listTools();
  await client.callTool("add", { a: 1, b: 2 });
  await refused(client.callTool("add", { a: "one" }));
  await refused(client.callTool("nothing"));
  await client.callTool("fail");
  await client.callTool("blocks");
  await client.callTool("count", { to: 2 }, { onProgress: () => undefined });
  await client.setLoggingLevel("warning");
  await client.callTool("log", {}, { meta: { "example.com/trace": null } });
  await client.listResources();
  await client.listResourceTemplates();
  await client.readResource("memo://hello");
  await client.readResource("memo://bytes");
  await refused(client.readResource("memo://nothing"));
  await client.listPrompts();
  await client.getPrompt("greet", { name: "Ada" });
  await refused(client.getPrompt("greet"));
  await client.complete({
    ref: { type: "ref/prompt", name: "greet" },
    argument: { name: "tone", value: "" },
    context: { arguments: { name: "Ada" } },
  });
  await refused(client.listTools({ cursor: "made up" }));
  await refused(client.request("no/such", {}));
  await refused(client.ping());
}

/** Requests that some revisions refuse with an error. */
async function refused(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!McpError.isMcpError(error)) throw error;
  });
}

async function cancel(client: Client): Promise<void> {
  const abort = new AbortController();
  const call = client.callTool("wait", {}, { signal: abort.signal }).catch(() => undefined);
  await turn();
  abort.abort(new Error("No longer needed"));
  await call;
  await turn();
}

async function watch(client: Client, update: (uri: string) => void): Promise<void> {
  const changes = await client.listen({ resources: ["memo://hello"] });
  const next = changes.next();
  update("memo://hello");
  await next;
  await changes.close();
  await turn();
}
