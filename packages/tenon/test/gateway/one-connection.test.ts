/**
 * One connection to a server serves many calls of its caller: those that come at once, those that come later, and those with
 * questions.
 */
import { describe, expect, it } from "vitest";
import { acceptorOf, type Acceptor } from "tenon";
import { clientOf, gatewayOf } from "./support.ts";
import { testServer } from "../support/test-server.ts";

const REVISIONS = ["2025-11-25", "2026-07-28"] as const;
const PAIRS = REVISIONS.flatMap((front) => REVISIONS.map((behind) => ({ front, behind })));

/** A server, and how often it was connected to. */
function countedServer(): { server: Acceptor; connections: () => number } {
  const server = testServer({ name: "behind" });
  server.tool("echo", { input: { type: "object" } }, (args) => JSON.stringify(args));
  server.tool("ask", { input: { type: "object" } }, async (args, ctx) => String(await ctx.confirm("sure", JSON.stringify(args))));
  let connections = 0;
  const accept: Acceptor["accept"] = (dispatcher) => {
    connections++;
    return acceptorOf(server).accept(dispatcher);
  };
  return { server: { accept }, connections: () => connections };
}

describe.each(PAIRS)("A client of $front and a server of $behind", ({ front, behind }) => {
  it("200 first calls at once, and 300 more one after the other, share one connection", async () => {
    const { server, connections } = countedServer();
    const gateway = gatewayOf({ servers: { behind: { target: server, revision: behind } } });
    const client = await clientOf(gateway, { revision: front });
    const first = await Promise.all(Array.from({ length: 200 }, (_, n) => client.callTool("behind__echo", { n })));
    expect(first.map(({ text }) => text)).toEqual(Array.from({ length: 200 }, (_, n) => JSON.stringify({ n })));
    for (let n = 0; n < 300; n++) expect((await client.callTool("behind__echo", { n })).text).toBe(JSON.stringify({ n }));
    expect(connections()).toBe(1);
  });

  it("the first call, the second one and the hundredth can ask", async () => {
    const { server, connections } = countedServer();
    const gateway = gatewayOf({ servers: { behind: { target: server, revision: behind } } });
    const asked: string[] = [];
    const client = await clientOf(gateway, {
      revision: front,
      onElicit: ({ message }) => (asked.push(message), { action: "accept", content: {} }),
    });
    for (let n = 1; n <= 100; n++) {
      const asks = n <= 2 || n === 100;
      expect((await client.callTool(asks ? "behind__ask" : "behind__echo", { n })).text).toBe(
        asks ? "true" : JSON.stringify({ n }),
      );
    }
    expect(asked).toEqual(['{"n":1}', '{"n":2}', '{"n":100}']);
    expect(connections()).toBe(1);
  });
});
