// `tenon dev`: what a stateful client says of its whole connection holds in the new version too, if the switch comes in the
// middle of it. Needs a build.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { dialling, WAYS, type Dialled, type Way } from "./clients.ts";
import { project } from "./project.ts";

vi.setConfig({ testTimeout: 120_000 });

const STATEFUL = WAYS.filter(({ client }) => client.startsWith("1"));

/** Holds requests of a method: it writes the file "held", and waits for the file "go", in a folder that is not watched. */
const server = (version: string, folder: string, held: string): string => `
import { existsSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { McpServer } from "tenon/server";

export const server: McpServer = new McpServer({ name: "held", version: "1.0.0" });
server.use((next) => async (request) => {
  if (request.method === ${JSON.stringify(held)}) {
    writeFileSync(${JSON.stringify(join(folder, "held"))}, "");
    while (!existsSync(${JSON.stringify(join(folder, "go"))})) await setTimeout(10);
  }
  return next(request);
});
server.tool("version", {}, () => ${JSON.stringify(version)});
server.tool("who", {}, (_input, ctx) => String(ctx.client.info?.name));
server.tool("talk", {}, async (_input, ctx) => {
  await ctx.log.info("one");
  await ctx.log.error("two");
  return "";
});
server.resource("note://today", {}, () => "Buy milk");
server.tool("touch", {}, () => {
  server.resourceUpdated("note://today");
  return "touched";
});
`;

interface Held {
  readonly client: Dialled;
  /** Saves a new version while the request is held, and then lets it go on. */
  readonly switchOver: () => Promise<void>;
}

async function holding(way: Way, method: string): Promise<Held> {
  const state = project({});
  const files = project({ "server.ts": server("old", state.folder, method) });
  const client = await dialling(way, files, "server.ts");
  await client.events.next("served");
  return {
    client,
    async switchOver() {
      await vi.waitUntil(() => existsSync(join(state.folder, "held")), { timeout: 100_000 });
      files.save("server.ts", server("new", state.folder, ""));
      await client.events.next("served");
      state.save("go", "");
    },
  };
}

test.each(STATEFUL)("a handshake that is under way: $client over $how", async (way) => {
  const { client, switchOver } = await holding(way, "initialize");
  await switchOver();
  await client.hear("connected");
  // A version that was not told of the handshake knows no name.
  expect({ version: await client.call("version"), who: await client.call("who") }).toEqual({ version: "new", who: "official" });
  expect(client.count("closed")).toBe(0);
});

test.each(STATEFUL)("a level of logs that is under way: $client over $how", async (way) => {
  const { client, switchOver } = await holding(way, "logging/setLevel");
  await client.hear("connected");
  const set = client.ask("level", { level: "error" });
  await switchOver();
  await set;
  await client.call("talk");
  await client.hear("log");
  expect(client.heard.filter(({ heard }) => heard === "log").map(({ data }) => data)).toEqual(["two"]);
});

test.each(STATEFUL)("a subscription that is under way: $client over $how", async (way) => {
  const { client, switchOver } = await holding(way, "resources/subscribe");
  await client.hear("connected");
  const watched = client.ask("watch", { uri: "note://today" });
  await switchOver();
  await watched;
  expect(await client.call("version")).toBe("new");
  await client.call("touch");
  await client.hear("updated");
  expect(client.count("closed")).toBe(0);
});
