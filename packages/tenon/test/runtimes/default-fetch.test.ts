/**
 * Which `fetch` a client uses that names none: undici on every release of Node, and their own on the runtimes that also take what
 * is for Node.
 */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { scriptedHttp, stateless } from "../http-client/scripted-http.ts";
import { runtime, type RuntimeName } from "./running.ts";

const PROGRAM = fileURLToPath(new URL("../http-client/fetching-program.mjs", import.meta.url));
const NODE = ["--conditions=source", "--import", new URL("../support/typescript-hook.mjs", import.meta.url).href];
const OTHERS = ["--conditions=source"];

test.for<[RuntimeName, readonly string[], RegExp]>([
  ["node-22", NODE, /^node undefined$/],
  ["node-24", NODE, /^node undefined$/],
  ["node-26", NODE, /^node undefined$/],
  ["bun", OTHERS, /^Bun\//],
  ["deno", OTHERS, /^Deno\//],
])("a client on %s", async ([name, flags, sender], context) => {
  const server = await scriptedHttp(
    stateless((_, reply) => reply.result({ tools: [], resultType: "complete", ttlMs: 0, cacheScope: "private" })),
  );
  const [command, ...args] = runtime(name, context);
  await promisify(execFile)(command, [...args, ...flags, PROGRAM, server.url], { timeout: 100_000 });
  const { headers } = server.requests.at(-1)!;
  expect(`${headers["user-agent"]} ${headers["sec-fetch-mode"]}`).toMatch(sender);
});
