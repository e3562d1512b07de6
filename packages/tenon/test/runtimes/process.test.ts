// What a process may be like: hardened, with two copies of Tenon in it, or out of descriptors. With the package as it was built.
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { connect as connectSocket, type Socket } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import type * as Tenon from "tenon";
import { allWell, runClient, startServer, stdioServer, type Command } from "./running.ts";
import { CHECKS, REVISIONS } from "./subset.mjs";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const expected = allWell(CHECKS, REVISIONS);

test.each([
  ["--frozen-intrinsics", "--disable-proto=delete"],
  ["--disable-proto=throw", "--disallow-code-generation-from-strings"],
])("everything works under %s %s [fault Z6]", async (...flags) => {
  const node: Command = [process.execPath, "--no-warnings", ...flags];
  const url = await startServer(node, "serve-node.mjs");
  expect(await runClient(node, url, REVISIONS)).toEqual(expected);
  expect(await runClient(node, stdioServer(node), REVISIONS)).toEqual(expected);
});

/** Another copy of the package, as a second version in `node_modules` would be. */
async function anotherCopy(): Promise<typeof Tenon> {
  const folder = mkdtempSync(join(root, "packages/tenon/copy-")); // inside, so that it finds its dependencies
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(join(root, "packages/tenon/dist"), folder, { recursive: true });
  return (await import(pathToFileURL(join(folder, "index.js")).href)) as typeof Tenon; // a copy of that module
}

test("a client of one copy and a server of another work together, with errors and extended classes [fault Z5]", async () => {
  const [one, other] = [
    (await import(pathToFileURL(join(root, "packages/tenon/dist/index.js")).href)) as typeof Tenon,
    await anotherCopy(),
  ]; // as above
  expect(one.McpError).not.toBe(other.McpError);
  const server = new other.McpServer({ name: "s", version: "1" }, { onError: () => undefined });
  // An error of the first copy, thrown in a handler of the second.
  server.tool("refuse", {}, () => {
    throw new one.McpError(4242, "not today", { why: "closed" });
  });
  server.resource("file:///gone", {}, () => {
    throw new one.ResourceNotFoundError("file:///gone");
  });
  server.tool("t", {}, () => other.text("x") as never);
  for (const revision of one.SUPPORTED_PROTOCOL_VERSIONS) {
    const client = await one.connect(server, { revision, validateOutput: false });
    const failure = await client.callTool("refuse").catch((error: unknown) => error);
    expect([one.McpError.isMcpError(failure), other.McpError.isMcpError(failure)]).toEqual([true, true]);
    expect(failure).toMatchObject({ code: 4242, message: "not today", data: { why: "closed" } });
    const gone = await client.readResource("file:///gone").catch((error: unknown) => error);
    expect(gone).toMatchObject({ code: revision === "2026-07-28" ? -32602 : -32002, data: { uri: "file:///gone" } });
    expect((await client.callTool("t")).text).toBe("x");
    await client.close();
  }
});

/** A Node that may open that many descriptors. */
const limited = (descriptors: number): Command => ["sh", "-c", `ulimit -n ${descriptors}; exec "$0" "$@"`, process.execPath];

test("a server without a descriptor left goes on as soon as it has one again [fault Z1]", async () => {
  const url = new URL(await startServer(limited(64), "serve-node.mjs"));
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (let i = 0; i < 80; i++) sockets.push(connectSocket(Number(url.port), url.hostname).on("error", () => undefined));
  await Promise.all(
    sockets.map(async (socket) => {
      if (socket.connecting) await Promise.race([once(socket, "connect"), once(socket, "close")]);
    }),
  );
  for (const socket of sockets) socket.destroy();
  expect(await runClient([process.execPath], url.href, REVISIONS)).toEqual(expected);
});

test("a client without a free descriptor gets an error, and starts its server when it has one again [fault Z1]", async () => {
  const outcomes = await runProgram(limited(64), "exhausted.mjs");
  expect(outcomes).toEqual([{ name: "ConnectionClosedError", code: -32000, cause: "EMFILE" }, { text: "42" }]);
});

/** Runs a file of this folder and resolves with what it printed, line by line. */
async function runProgram([command, ...args]: Command, program: string): Promise<unknown[]> {
  const { stdout } = await promisify(execFile)(command, [...args, join(root, "packages/tenon/test/runtimes", program)], {
    timeout: 100_000,
  });
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
}
