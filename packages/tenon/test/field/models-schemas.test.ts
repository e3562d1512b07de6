/** Schemas in lists of tools, as hosts with strict validators and APIs of models take them. */
import { expect, it } from "vitest";
import { connect } from "tenon";
import * as z from "zod";
import { testServer } from "../support/test-server.ts";

it("have no dialect if a library converted them, and properties if there is no input [FD-08]", async () => {
  const server = testServer();
  const own = { $schema: "http://json-schema.org/draft-07/schema#", type: "object" } as const;
  server.tool("converted", { input: z.object({ a: z.number() }), output: z.object({ b: z.number() }) }, ({ a }) => ({ b: a }));
  server.tool("without", {}, () => "x");
  server.tool("own", { input: own }, () => "x");
  const { tools } = await (await connect(server)).listTools();
  const [converted, without, plain] = tools;
  expect(JSON.stringify(converted)).not.toContain("$schema");
  expect(without?.inputSchema).toEqual({ type: "object", properties: {} });
  expect(plain?.inputSchema).toEqual(own);
});

it("say a default that plain JSON Schema does not fill in, and a library does", async () => {
  const server = testServer();
  const properties = { limit: { type: "integer", default: 10 } };
  server.tool("plain", { input: { type: "object", properties } }, (args) => JSON.stringify(args));
  server.tool("zod", { input: z.object({ limit: z.int().default(10) }) }, (args) => JSON.stringify(args));
  const client = await connect(server);
  expect((await client.callTool("plain", {})).text).toBe("{}");
  expect((await client.callTool("zod", {})).text).toBe('{"limit":10}');
});

it("name all that is wrong with the arguments of a call [FD-78]", async () => {
  const server = testServer();
  const properties = {
    to: { type: "string" },
    size: { type: "integer" },
    at: { type: "object", properties: { city: { type: "string" } } },
  };
  const input = { type: "object", properties, required: ["to"], additionalProperties: false } as const;
  server.tool("send", { input }, () => "sent");
  await using client = await connect(server);
  const { isError, text } = await client.callTool("send", { size: "1", at: { city: 2 }, cc: "x" });
  expect(isError).toBe(true);
  for (const fault of ['"to"', '"cc"', "size: ", "at.city: "]) expect(text).toContain(fault);
});
