/** The port of the sandbox page: the one after the page's, so that both can be forwarded, or any other one. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { SandboxServer } from "./sandbox-server.ts";

/** A program that holds a port of this machine. */
async function holder(): Promise<{ server: Server; port: number }> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return { server, port: (server.address() as AddressInfo).port };
}

/** The port of a sandbox page beside a page on that port. */
async function portBeside(pagePort: number): Promise<number> {
  const sandbox = new SandboxServer();
  onTestFinished(() => sandbox.close());
  await sandbox.listen(pagePort);
  const port = Number(new URL(sandbox.origin).port);
  expect(port).toBeGreaterThan(0);
  return port;
}

test("is the port after the page's, if that is free", async () => {
  // Another program can take the port between the two steps, so there are several attempts.
  const isNext = async (): Promise<boolean> => {
    const { server, port } = await holder();
    await new Promise((resolve) => server.close(resolve));
    return (await portBeside(port - 1)) === port;
  };
  await expect.poll(isNext).toBe(true);
});

test("is another one if that is taken, and if there is none", async () => {
  const { port } = await holder();
  expect(await portBeside(port - 1)).not.toBe(port);
  for (const last of [65_535, 0]) expect(await portBeside(last)).not.toBe(last + 1);
});
