// Starts a server when no descriptor is left, and again when there are some. Prints what came of either.
import { closeSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { connect } from "tenon/client";

const server = { command: process.execPath, args: [fileURLToPath(new URL("serve-stdio.mjs", import.meta.url))] };
// What starting takes is loaded before: reading a file takes a descriptor too.
await (await connect(server)).close();

const taken = [];
try {
  for (;;) taken.push(openSync("/dev/null", "r"));
} catch {
  // None is left.
}
const failure = await connect(server).catch((error) => error);
console.log(JSON.stringify({ name: failure.name, code: failure.code, cause: failure.data?.code }));
for (const descriptor of taken) closeSync(descriptor);
const client = await connect(server);
const { data } = await client.callTool("add", { a: 20, b: 22 });
console.log(JSON.stringify({ text: String(data.sum) }));
await client.close();
