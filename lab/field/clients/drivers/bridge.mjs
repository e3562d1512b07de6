// What drivers of bridges share: a bridge is started as a program, and the official client talks through it.
import { spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";

/** Starts a bridge; what it prints is not read. */
export const start = (command, args) => spawn(command, args, { stdio: "ignore" });

/** Connects as soon as the bridge listens. */
export async function connectTo(makeTransport) {
  for (;;) {
    const client = new Client({ name: "field", version: "1.0.0" });
    try {
      await client.connect(makeTransport());
      return client;
    } catch (error) {
      if (!/ECONNREFUSED|fetch failed/.test(`${error} ${error.cause}`)) throw error;
      await pause(100);
    }
  }
}

/** What every client is asked, through a client that is connected. */
export const through = (client, close) => ({
  list: async () => (await client.listTools()).tools.map(({ name }) => name),
  call: (name, args) => client.callTool({ name, arguments: args }),
  close,
});
