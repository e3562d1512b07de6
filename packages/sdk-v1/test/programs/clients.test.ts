/** A client of the SDK 1.x on the layer, with programs that speak the newest revision, and with older ones. */
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { Client } from "../../src/client/index.ts";
import { StdioClientTransport } from "../../src/client/stdio.ts";

const file = (name: string): string => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
const MOVED = ["--import", new URL("fixtures/moved.mjs", import.meta.url).href, file("server.mjs")];

async function connected(
  args: readonly string[],
  newestFirst = true,
): Promise<{ client: Client; transport: StdioClientTransport }> {
  const client = new Client({ name: "test", version: "1" }, { newestFirst });
  const transport = new StdioClientTransport({ command: process.execPath, args: [...args], stderr: "pipe" });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, transport };
}

const answers = async (client: Client): Promise<unknown> => ({
  tools: (await client.listTools()).tools.map(({ name }) => name),
  sum: await client.callTool({ name: "add", arguments: { a: 1, b: 2 } }),
  failed: await client.callTool({ name: "fail" }).catch((error: { code: number }) => error.code),
  server: client.getServerVersion()?.name,
});

const ANSWERS = {
  tools: ["add", "fail", "log"],
  sum: { content: [{ type: "text", text: "3" }] },
  failed: -32042,
  server: "sums",
};

test.each([
  ["a program of the newest revision", MOVED, "2026-07-28"],
  ["a program of 1.x", [file("server.mjs")], undefined],
  ["a program that ends at an unknown request", [file("picky.mjs")], undefined],
])("%s is spoken to in its revision", async (_what, args, revision) => {
  const { client, transport } = await connected(args);
  expect(client.tenon?.protocolVersion).toBe(revision);
  expect(transport.pid).toBeGreaterThan(0);
  expect(await answers(client)).toEqual({ ...ANSWERS, ...(revision !== undefined && { failed: -32603 }) });
});

test("a program that refuses the handshake is started again, for the newest revision", async () => {
  const { client } = await connected([...MOVED.slice(0, -1), file("modern.mjs")], false);
  expect(client.tenon?.protocolVersion).toBe("2026-07-28");
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["hello"]);
});

test("without newestFirst a program of both families gets its handshake", async () => {
  const { client } = await connected(MOVED, false);
  expect(client.tenon).toBeUndefined();
  expect(await answers(client)).toEqual(ANSWERS);
});

test("the end of the program is the end of the connection", async () => {
  const { client, transport } = await connected(MOVED);
  const closed = new Promise<void>((resolve) => (client.onclose = resolve));
  process.kill(transport.pid!);
  await closed;
  await expect(client.listTools()).rejects.toThrow("Not connected");
});

test("a closed client has ended its program", async () => {
  const { client, transport } = await connected(MOVED);
  const { pid } = transport;
  await client.close();
  await expect.poll(() => isAlive(pid!)).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("a program that cannot be started is the error of the original", async () => {
  const transport = new StdioClientTransport({ command: "/no/such/program" });
  await expect(new Client({ name: "test", version: "1" }).connect(transport)).rejects.toMatchObject({ code: "ENOENT" });
});
