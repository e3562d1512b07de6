/** Messages on the bus that no node of this library sends: none ends a round or a node, and the operator reads of each. */
import { expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "tenon";
import { McpServer } from "tenon/server";
import { memoryStores } from "tenon/stores/memory";
import * as z from "zod";
import { Nodes, SHARED } from "./nodes.ts";
import { begin, run } from "./rounds.ts";

/** Bodies of messages about a round. */
const JUNK: readonly (readonly [kind: string, body: unknown])[] = [
  ["roundEnded", {}],
  ["roundEnded", { result: "done" }],
  ["roundEnded", { result: [] }],
  ["roundEnded", { error: "failed" }],
  ["roundEnded", { error: { code: "1", message: 7 } }],
  ["roundEnded", { inParts: true }],
  ["roundPart", { index: 1, text: "later" }],
  ["roundPart", { index: 4_000_000_000, text: "far" }],
  ["roundPart", { index: -1, text: "before" }],
  ["roundPart", { index: 0.5, text: "between" }],
  ["roundPart", { index: "length", text: "0" }],
  ["roundPart", { index: 0, text: 7 }],
  ["roundPart", { index: 0, text: "x".repeat(500_000) }],
  ["roundTold", { progress: null, logged: 7 }],
  ["roundTold", "x"],
  ["hasOwnProperty", {}],
  ["__proto__", {}],
  ["unknown", {}],
];

test("messages that no node sends do not end a round: it ends as its holder says", async () => {
  const errors: string[] = [];
  const { bus, ...stores } = memoryStores();
  let isSpoiled = false;
  const publish = async (topic: string, text: string): Promise<void> => {
    const message = JSON.parse(text) as JsonObject;
    const { exchange } = (message["body"] ?? {}) as JsonObject;
    if (message["kind"] === "roundEnded" && !isSpoiled) {
      isSpoiled = true;
      for (const [at, [kind, body]] of JUNK.entries()) {
        const spoiled = typeof body === "object" ? { exchange, ...body } : body;
        await bus.publish(topic, JSON.stringify({ id: `junk ${at}`, kind, body: spoiled }));
      }
      for (const other of ["", "{", "null", "[]", '{"id":1,"kind":"all"}', '{"kind":"roundEnded"}'])
        await bus.publish(topic, other);
    }
    await bus.publish(topic, text);
  };
  const makeServer = (index: number): McpServer => {
    const server = new McpServer(
      { name: "s", version: "1" },
      { ...SHARED, onError: (error) => void errors.push(String(((error as Error).cause as Error | undefined)?.message)) },
    );
    server.tool("book", {}, async (_input, ctx) => {
      await ctx.elicit("first", { message: "First?", schema: z.object({}) });
      return `booked at ${index}`;
    });
    onTestFinished(() => server.close());
    return server;
  };
  const nodes = new Nodes(makeServer, {
    stores: {
      ...stores,
      bus: { ...bus, publish, subscribe: (topic, take) => bus.subscribe(topic, take), maxMessage: bus.maxMessage },
    },
  });
  const state = await begin(nodes, 0, { name: "book" });
  expect(await run(nodes, 1, { name: "book", state, accepts: ["first"] })).toEqual({ text: "booked at 0" });
  expect(errors.filter((message) => /end of a round at another node is damaged/.test(message)).length).toBeGreaterThanOrEqual(12);
  expect(errors.filter((message) => /message of another node is damaged/.test(message)).length).toBe(6);
});
