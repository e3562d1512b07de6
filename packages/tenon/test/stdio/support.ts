// What the stdio tests share: odd children, and reading what a transport delivers.
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { spawnServer, type ServerProcess, type SpawnServerOptions, type StdioServerParameters } from "tenon/node";
import { isNotification, type JSONRPCNotification } from "../../src/jsonrpc/message.ts";
import { MalformedMessage } from "../../src/jsonrpc/incoming.ts";
import { JsonRpcDispatcher } from "../../src/dispatch/json-rpc-dispatcher.ts";
import type { Transport } from "../../src/transport/transport.ts";

export const ODD_SERVER: string = fileURLToPath(new URL("fixtures/odd-server.mjs", import.meta.url));

/** Steps short enough for tests that go through all of them. */
export const SHORT = { flush: 100, exit: 150, terminate: 150, reap: 2000 };

/** Starts the odd server; it is gone when the test is over, whatever the test did. */
export async function spawnOdd(
  mode: string,
  argument = "",
  parameters: Partial<StdioServerParameters> = {},
  options: SpawnServerOptions = {},
): Promise<ServerProcess> {
  const server = await spawnServer(
    { command: process.execPath, args: [ODD_SERVER, mode, argument], stderr: "pipe", ...parameters },
    options,
  );
  onTestFinished(() => killGroup(server.pid));
  return server;
}

/** The next notification; what is malformed is skipped. */
export async function nextNotification(transport: Transport): Promise<JSONRPCNotification> {
  for (;;) {
    const incoming = await transport.receive();
    if (incoming instanceof MalformedMessage) continue;
    if (!("length" in incoming) && isNotification(incoming)) return incoming;
    throw new Error(`Expected a notification, got ${JSON.stringify(incoming)}`);
  }
}

/** A running client over `transport`, without the MCP handshake. */
export function startClient(transport: Transport, onError: (error: Error) => void = () => undefined): JsonRpcDispatcher {
  const client = new JsonRpcDispatcher(transport, { respondToMalformed: false, onError });
  void client.run(
    () => ({}),
    () => undefined,
  );
  return client;
}

/** Whether a process exists, zombies included. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export function killGroup(pid: number): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, "SIGKILL");
    } catch {
      // It is gone, as it should be.
    }
  }
}

/** What a promise rejects with. */
export function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => {
      throw new Error(`Expected a rejection, got ${JSON.stringify(value)}`);
    },
    (error: unknown) => error,
  );
}
