/** Two principals, two servers, calls that overlap: nothing of one caller reaches the other. */
import { describe, expect, it, onTestFinished } from "vitest";
import { connect, McpServer, type Client, type ProtocolVersion } from "tenon";
import { createGateway } from "tenon/gateway";
import { createFetchHandler } from "tenon/server";
import * as z from "zod";
import { byName } from "./support.ts";
import { gate } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

const FAMILIES: readonly ProtocolVersion[] = ["2025-11-25", "2026-07-28"];
const PEOPLE = ["ada", "bob"] as const;
const SERVERS = ["red", "blue"] as const;
const CALLS = 3;

/** A server whose calls wait for each other, log, and ask a question that names the caller and the call. */
function createWorker(name: string): McpServer {
  const server = testServer({ name });
  let begun = 0;
  const { opened: all, open } = gate();
  server.tool("work", { input: z.object({ tag: z.string() }) }, async ({ tag }, ctx) => {
    if (++begun === PEOPLE.length * CALLS) open();
    await all;
    await ctx.log.warning(`${name} ${tag}`);
    const { action, content } = await ctx.elicit("who", { message: tag, schema: z.object({ name: z.string() }) });
    return `${name}: ${action === "accept" ? content.name : action}`;
  });
  server.tool("ada-only", {}, () => "secret");
  server.resource(`note://${name}`, {}, () => name);
  return server;
}

interface Person {
  readonly name: string;
  readonly client: Client;
  readonly logged: unknown[];
  readonly heard: unknown[];
}

describe.each(FAMILIES)("Clients of %s", (front) => {
  describe.each(FAMILIES)("servers of %s", (behind) => {
    const servers = Object.fromEntries(SERVERS.map((name) => [name, createWorker(name)])) as Record<
      (typeof SERVERS)[number],
      McpServer
    >;

    async function meet(): Promise<Person[]> {
      const gateway = createGateway({
        readyTimeout: 60_000,
        servers: Object.fromEntries(SERVERS.map((name) => [name, { target: servers[name], revision: behind }])),
        policy: ({ principal, name }) => name !== "ada-only" || principal === "ada",
        onError: () => undefined,
      });
      const handler = createFetchHandler(gateway, { auth: byName });
      onTestFinished(async () => {
        await gateway.close();
        await handler.close();
      });
      return Promise.all(
        PEOPLE.map(async (name) => {
          const logged: unknown[] = [];
          const client = await connect(
            {
              url: "http://localhost/mcp",
              headers: { authorization: name },
              fetch: (url, init) => handler(new Request(url, init)),
            },
            {
              revision: front,
              logLevel: "info",
              onLog: ({ data }) => void logged.push(data),
              onElicit: ({ message }) => ({ action: "accept", content: { name: `${name} to ${message}` } }),
            },
          );
          onTestFinished(() => client.close());
          return { name, client, logged, heard: [] };
        }),
      );
    }

    it("keeps calls, questions, logs, lists and changes of two principals apart", async () => {
      const people = await meet();
      for (const { name, client } of people) {
        const names = (await client.listTools()).tools.map((tool) => tool.name);
        expect(names.includes("red__ada-only")).toBe(name === "ada");
      }
      await Promise.all(people.flatMap(({ name, client }) => SERVERS.flatMap((server) => work(client, server, name))));
      for (const { name, logged } of people) {
        for (const line of logged) expect(line).toMatch(new RegExp(`^(red|blue) ${name} \\d$`));
        // A stateless server serves both on one connection: a message that cannot be attributed is dropped.
        if (behind < "2026-07-28") expect(new Set(logged).size).toBe(SERVERS.length * CALLS);
      }
      await expect(people[1]!.client.callTool("red__ada-only")).rejects.toThrow("Unknown tool: red__ada-only");
      expect((await people[0]!.client.callTool("red__ada-only")).text).toBe("secret");
    });

    it("brings the changes of a resource to those who watch it only", async () => {
      const people = await meet();
      const streams = await Promise.all(people.map(({ client }, at) => client.listen({ resources: [`note://${SERVERS[at]!}`] })));
      for (const name of SERVERS) servers[name].resourceUpdated(`note://${name}`);
      for (const [at, stream] of streams.entries()) {
        for await (const change of stream) {
          expect(change).toEqual({ kind: "resource", uri: `note://${SERVERS[at]!}` });
          break;
        }
      }
    });
  });
});

function work(client: Client, server: string, name: string): Promise<void>[] {
  return Array.from({ length: CALLS }, async (_, call) => {
    const { text } = await client.callTool(`${server}__work`, { tag: `${name} ${call}` });
    expect(text).toBe(`${server}: ${name} to ${name} ${call}`);
  });
}
