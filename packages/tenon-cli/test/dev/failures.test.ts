// `tenon dev` when the author's code fails: the old version serves on, no client loses its connection, and the error says where.
// Needs a build.
import { expect, test, vi } from "vitest";
import { dial, WAYS, type Way } from "./clients.ts";
import { project } from "./project.ts";

vi.setConfig({ testTimeout: 90_000 });

/** A server in one file. Its logging makes clients of a handshake take log messages. */
const server = (version: string, more = ""): string => `
import { McpServer } from "tenon/server";
export const server: McpServer = new McpServer({ name: "failing", version: "1.0.0", capabilities: { logging: {} } });
server.tool("version", {}, () => ${JSON.stringify(version)});
server.tool("crash", {}, () => new Promise(() => setImmediate(() => { throw new Error("thrown by the author"); })));
server.tool("exit", {}, () => process.exit(3));
${more}
`;

const [ONE] = WAYS as unknown as [Way];

test.each(WAYS)("a syntax error keeps the old version and says where: $client over $how", async (way) => {
  const files = project({ "server.ts": server("old") });
  const client = await dial(way, files, "server.ts");
  expect(await client.call("version")).toBe("old");
  files.save("server.ts", server("broken", "const = 3;"));
  const failed = await client.events.next("failed");
  expect(failed).toMatchObject({ isServing: true, message: expect.stringContaining("server.ts") as string });
  const failures = (): number => client.events.all.filter(({ kind }) => kind === "failed").length;
  for (let call = 0; call < 20; call++) expect(await client.call("version")).toBe("old");
  expect(failures()).toBe(1);
  files.save("server.ts", server("new"));
  await client.events.next("served");
  expect({ version: await client.call("version"), closed: client.count("closed") }).toEqual({ version: "new", closed: 0 });
});

test.each([
  { fault: "throws", code: `throw new Error("no database");`, message: "no database" },
  { fault: "exits", code: "process.exit(4);", message: "exit code 4" },
  { fault: "exports no server", code: "export {};", message: "server" },
])("a file that $fault while it loads keeps the old version", async ({ fault, code, message }) => {
  const files = project({ "server.ts": server("old") });
  const client = await dial(ONE, files, "server.ts");
  expect(await client.call("version")).toBe("old");
  files.save("server.ts", fault === "exports no server" ? code : server("broken", code));
  expect(await client.events.next("failed")).toMatchObject({
    isServing: true,
    message: expect.stringContaining(message) as string,
  });
  expect({ version: await client.call("version"), closed: client.count("closed") }).toEqual({ version: "old", closed: 0 });
});

test("a file that is made while the version that lacks it loads mends it", async () => {
  const files = project({ "server.ts": server("old") });
  const client = await dial(ONE, files, "server.ts");
  expect(await client.call("version")).toBe("old");
  // The version ends later than the event of the new file arrives. If it ends earlier, the file is found all the same.
  const late = `
    import { existsSync, writeFileSync } from "node:fs";
    const isThere = existsSync("late.txt");
    writeFileSync("late.txt", "");
    await new Promise((resolve) => setTimeout(resolve, 300));
    if (!isThere) throw new Error("late.txt is missing");`;
  files.save("server.ts", server("new", late));
  while ((await client.call("version")) !== "new");
  expect(client.count("closed")).toBe(0);
});

test("a file that loops while it loads is given up, and the old version serves meanwhile", async () => {
  const files = project({ "server.ts": server("old") });
  const client = await dial(ONE, files, "server.ts");
  expect(await client.call("version")).toBe("old");
  files.save("server.ts", server("looping", "for (;;);"));
  const failed = client.events.next("failed");
  expect(await client.call("version")).toBe("old");
  expect(await failed).toMatchObject({ isServing: true, message: expect.stringContaining("did not load within") as string });
  files.save("server.ts", server("new"));
  await client.events.next("served");
  expect(await client.call("version")).toBe("new");
});

test.each(WAYS)("a call that crashes or exits the server fails, and the connection stays: $client over $how", async (way) => {
  const files = project({ "server.ts": server("running") });
  const client = await dial(way, files, "server.ts");
  for (const [tool, how] of [
    ["crash", "exit code 1"],
    ["exit", "exit code 3"],
  ] as const) {
    await expect(client.call(tool)).rejects.toThrow(how);
    const ended = await client.events.next("ended");
    expect(ended).toMatchObject({ isRestarted: true, how: expect.stringContaining(how) as string });
    expect(await client.call("version")).toBe("running");
  }
  expect(client.count("closed")).toBe(0);
});

test("clients with a handshake get the error of a save as a log message", async () => {
  const files = project({ "server.ts": server("old") });
  const client = await dial(ONE, files, "server.ts");
  expect(await client.call("version")).toBe("old");
  files.save("server.ts", server("broken", `throw new Error("no database");`));
  await client.hear("log");
  expect(client.heard.find(({ heard }) => heard === "log")?.data).toContain("no database");
});

test("a server that cannot start serves once a save mends it", async () => {
  const files = project({ "server.ts": server("mended") });
  const client = await dial(ONE, files, "server.ts");
  expect(await client.call("version")).toBe("mended");
  files.save("server.ts", server("broken", `import "./missing.ts";`));
  expect((await client.events.next("failed")).message).toContain("missing");
  // The file that was missing comes: nothing that was loaded has changed.
  files.save("missing.ts", "export {};");
  await client.events.next("served");
  expect(await client.call("version")).toBe("broken");
});

test.each(WAYS)("a server in CommonJS is reloaded with what it requires: $client over $how", async (way) => {
  const text = (name: string): string => `
const { McpServer } = require("tenon/server");
const { version } = require("./lib/version.js");
exports.server = new McpServer({ name: ${JSON.stringify(name)}, version: "1.0.0" });
exports.server.tool("version", {}, () => version);
`;
  const version = (value: string): string => `exports.version = ${JSON.stringify(value)};`;
  const files = project({ "package.json": "{}", "server.js": text("common"), "lib/version.js": version("old") });
  const client = await dial(way, files, "server.js");
  await client.events.next("served");
  expect(await client.call("version")).toBe("old");
  files.save("lib/version.js", version("new"));
  await client.events.next("served");
  expect({ version: await client.call("version"), closed: client.count("closed") }).toEqual({ version: "new", closed: 0 });
});

test("a server that ends six times within a minute waits for the next save", async () => {
  const files = project({ "server.ts": server("old") });
  const client = await dial(ONE, files, "server.ts");
  const restarts: boolean[] = [];
  while (restarts.length < 6) {
    await client.events.next("served");
    await expect(client.call("exit")).rejects.toThrow("exit code 3");
    restarts.push((await client.events.next("ended")).isRestarted);
  }
  expect(restarts).toEqual([true, true, true, true, true, false]);
  files.save("server.ts", server("new"));
  await client.events.next("served");
  expect({ version: await client.call("version"), closed: client.count("closed") }).toEqual({ version: "new", closed: 0 });
});
