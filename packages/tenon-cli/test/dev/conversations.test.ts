// `tenon dev`: what runs or stays open while the author saves goes on, and the client notices nothing. Needs a build.
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { dial, WAYS } from "./clients.ts";
import { project } from "./project.ts";

vi.setConfig({ testTimeout: 90_000 });

/** "slow" waits for the file "go", and then for "end", in a folder that is not watched. */
const server = (version: string, folder = ""): string => `
import { existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { McpServer } from "tenon/server";
import * as z from "zod";

export const server: McpServer = new McpServer({ name: "talking", version: "1.0.0" });
server.tool("version", {}, () => ${JSON.stringify(version)});
server.tool("greet", {}, async (_input, ctx) => {
  const asked = await ctx.elicit("name", { message: "Who?", schema: z.object({ name: z.string() }) });
  return asked.action === "accept" ? ${JSON.stringify(version)} + " greets " + asked.content.name : "declined";
});
server.tool("slow", {}, async (_input, ctx) => {
  await ctx.progress(1, 2, "begun");
  while (!existsSync(${JSON.stringify(join(folder, "go"))})) await setTimeout(10);
  await ctx.progress(2, 2, "done");
  while (!existsSync(${JSON.stringify(join(folder, "end"))})) await setTimeout(10);
  return ${JSON.stringify(version)};
});
server.resource("note://today", {}, () => "Buy milk");
server.tool("touch", {}, () => {
  server.resourceUpdated("note://today");
  return "touched";
});
`;

test.each(WAYS)("a question stays open across a save: $client over $how", async (way) => {
  const files = project({ "server.ts": server("old") });
  const client = await dial(way, files, "server.ts");
  await client.events.next("served");
  const greeting = client.call("greet");
  await client.hear("question");
  files.save("server.ts", server("new"));
  await client.events.next("served");
  expect(await client.call("version")).toBe("new");
  await client.ask("answer", {});
  // A stateful call ends on the code that it began with. The next round of a stateless one is a request of its own.
  expect(await greeting).toBe(way.client.startsWith("1") ? "old greets Ada" : "new greets Ada");
  expect(client.count("closed")).toBe(0);
});

test.each(WAYS)("a call that runs reports progress and ends on the code that it began with: $client over $how", async (way) => {
  const state = project({});
  const files = project({ "server.ts": server("old", state.folder) });
  const client = await dial(way, files, "server.ts");
  await client.events.next("served");
  const slow = client.call("slow", {}, true);
  await client.hear("progress");
  files.save("server.ts", server("new", state.folder));
  await client.events.next("served");
  expect(await client.call("version")).toBe("new");
  state.save("go", "");
  await client.hear("progress", 2);
  state.save("end", "");
  expect(await slow).toBe("old");
  const progress = client.heard.filter(({ heard }) => heard === "progress").map(({ message }) => message);
  expect({ progress, closed: client.count("closed") }).toEqual({ progress: ["begun", "done"], closed: 0 });
});

test.each(WAYS)("a client that watches a resource hears of it in the new version too: $client over $how", async (way) => {
  const files = project({ "server.ts": server("old") });
  const client = await dial(way, files, "server.ts");
  await client.events.next("served");
  await client.ask("watch", { uri: "note://today" });
  await client.call("touch");
  await client.hear("updated");
  files.save("server.ts", server("new"));
  await client.events.next("served");
  expect({ version: await client.call("version"), updated: client.count("updated") }).toEqual({ version: "new", updated: 1 });
  await client.call("touch");
  await client.hear("updated", 2);
  expect(client.count("closed")).toBe(0);
});

test.each(["package.json", "tsconfig.json", ".env"])("a save of %s loads the file again", async (name) => {
  const files = project({ "server.ts": server("same") });
  const client = await dial(WAYS[0], files, "server.ts");
  await client.events.next("served");
  files.save(name, '{ "type": "module", "private": true }');
  expect((await client.events.next("served")).files).toEqual([join(files.folder, name)]);
});
