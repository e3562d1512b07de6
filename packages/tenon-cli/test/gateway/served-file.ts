/** What tests of a configuration file share: a server for it, and a client of the gateway that serves it. */
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { connect, type Client } from "tenon";
import { MAIN } from "../cli/start-command.ts";
import type { ConfigSetup } from "../../../tenon/test/gateway/support.ts";

const MORTAL = fileURLToPath(new URL("../../../tenon/test/gateway/mortal-server.mjs", import.meta.url));
export const entry: { command: string; args: string[] } = { command: process.execPath, args: [MORTAL] };

/** A client of `tenon gateway` on stdin and stdout. */
export async function clientOf({ file, user }: ConfigSetup, ...words: string[]): Promise<Client> {
  const client = await connect({
    command: process.execPath,
    args: [MAIN, "gateway", file, "--yes", ...words],
    stderr: "ignore",
    ...user,
  });
  onTestFinished(() => client.close());
  return client;
}

export async function names(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}
