/**
 * A configuration that changes again and again while clients call, are asked and listen: nothing crosses, and nothing is left.
 */
import { setImmediate as turn } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { acceptorOf, connect, type Acceptor, type Servable, type Client, type ProtocolVersion } from "tenon";
import { createGateway } from "tenon/gateway";
import * as z from "zod";
import { testServer } from "../support/test-server.ts";

const CHANGES = 30;
const FAMILIES: readonly ProtocolVersion[] = ["2025-11-25", "2026-07-28"];

it("serves each caller its own answers from its own servers through many changes, and closes what it does not need", async () => {
  let open = 0;
  const entry = (name: string, revision: ProtocolVersion): { target: Servable; revision: ProtocolVersion } => {
    const server = testServer({ name });
    server.tool("say", { input: z.object({ tag: z.string() }) }, ({ tag }) => `${name} ${tag}`);
    server.tool("ask", { input: z.object({ tag: z.string() }) }, async ({ tag }, ctx) => {
      const { content } = await ctx.elicit("who", { message: tag, schema: z.object({ who: z.string() }) });
      return `${name} ${content?.who}`;
    });
    const accept: Acceptor["accept"] = (dispatcher) => (
      open++,
      acceptorOf(server)
        .accept(dispatcher)
        .finally(() => open--)
    );
    return { target: { accept }, revision };
  };
  const kept = { red: entry("red", "2025-11-25"), blue: entry("blue", "2026-07-28") };
  const gateway = createGateway({ readyTimeout: 60_000, servers: kept, drainTimeout: 30_000, onError: () => undefined });
  onTestFinished(() => gateway.close());
  const crossed: string[] = [];
  const stop = new AbortController();
  const call = async (client: Client, me: string, name: string): Promise<void> => {
    for (let at = 0; !stop.signal.aborted; at++) {
      await turn();
      const tag = `${me} ${at}`;
      const [server, tool] = name.split("__");
      const said = await client.callTool(name, { tag }).then(
        ({ text }) => text,
        ({ message }: Error) => message,
      );
      const isGone = server === "green" && /Unknown tool|lost|closed|ended/i.test(said);
      if (!isGone && said !== `${server} ${tool === "say" ? tag : me}`) crossed.push(`${tag} of ${name}: ${said}`);
    }
  };
  const people = await Promise.all(
    FAMILIES.map(async (revision) => {
      const client = await connect(gateway, {
        revision,
        onElicit: ({ message }) => {
          if (!message.startsWith(revision)) crossed.push(`${revision} was asked ${message}`);
          return { action: "accept", content: { who: revision } };
        },
      });
      onTestFinished(() => client.close());
      const changes = await client.listen({ tools: true });
      return { client, changes, me: revision };
    }),
  );
  const names = ["red", "blue", "green"].flatMap((server) => [`${server}__say`, `${server}__ask`]);
  const calls = people.flatMap(({ client, me }) => names.map((name) => call(client, me, name)));
  for (let change = 0; change < CHANGES; change++) {
    for (let at = 0; at < 5; at++) await turn();
    await gateway.setServers(change % 2 === 0 ? { green: entry("green", FAMILIES[change % 4 === 0 ? 0 : 1]!), ...kept } : kept);
  }
  const { tools } = await people[0]!.client.listTools();
  stop.abort();
  await Promise.all(calls);
  expect(crossed).toEqual([]);
  expect(tools.map(({ name }) => name)).toEqual(names.slice(0, 4));
  await Promise.all(people.map(({ changes }) => changes.close()));
  // one for each session, and one to the server without sessions
  await expect.poll(() => open, { timeout: 60_000 }).toBe(people.length + 1);
});
