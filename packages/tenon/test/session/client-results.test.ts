/** Malformed results of a client: what the requests of a handler fail with. */
import { expect, it } from "vitest";
import { ProtocolViolationError, type ElicitRequestedSchema, type JsonObject, type ServerSession } from "tenon";
import { RawClient } from "../support/raw-client.ts";
import { testServer } from "../support/test-server.ts";

const form: ElicitRequestedSchema = { type: "object", properties: { name: { type: "string" } } };
const text = { type: "text", text: "?" } as const;
const question = { messages: [{ role: "user" as const, content: text }], maxTokens: 10 };

it.each<[what: string, ask: (session: ServerSession) => Promise<unknown>, result: JsonObject]>([
  ["createMessage", (session) => session.createMessage(question), { role: "assistant", content: text }],
  ["elicitForm", (session) => session.elicitForm({ message: "?", requestedSchema: form }), { action: "maybe" }],
  ["elicitUrl", (session) => session.elicitUrl({ message: "?", url: "https://a.example" }), { action: 1 }],
  ["listRoots", (session) => session.listRoots(), { roots: { uri: "file:///a" } }],
  ["ping", (session) => session.ping(), { _meta: "none" }],
  ["request", (session) => session.request("roots/list"), {}],
])("%s fails if the client's result is malformed [SS-64]", async (_what, ask, result) => {
  const outcomes: unknown[] = [];
  const record = (outcome: unknown): void => void outcomes.push(outcome);
  const server = testServer();
  server.tool("ask", {}, (_input, { session }) =>
    ask(session)
      .then(record, record)
      .then(() => "done"),
  );
  const client = new RawClient(server);
  await client.initialize("2025-11-25", { sampling: {}, elicitation: { form: {}, url: {} }, roots: {} });
  const written = await client.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "ask" } });
  // What asks is loaded with the first question.
  await expect.poll(async () => written.push(...(await client.send()))).toBe(1);
  await client.send({ jsonrpc: "2.0", id: written[0]!["id"], result });
  await expect.poll(() => outcomes).toHaveLength(1);
  expect(outcomes[0]).toBeInstanceOf(ProtocolViolationError);
});
