// Prints what Tenon adds to a bundle, minified and gzipped. `target` is where we want to be (bench/targets.md); `limit` is
// the most a change may leave behind, and above it the check fails. It follows the size down, and up only with a reason: the client's
// went from 30 to 31.5 when the names of options were checked in every call and session, and a stalled event loop was reported; both
// programs by 4 to 5 when messages that deviate were read (wire/mending.ts, which must be there at once: reading waits for nothing), and
// numbers kept as they were written; the server's by 0.3 when URI templates read parameters in any order, without fragments,
// by 0.4 when resources are found by another spelling of their URI, and by 0.3 when a server hears notifications of clients (servers in it, changed roots), and roots are checked.
// Both went up by 0.5 when nil lists and single blocks were read (wire/mended-types.ts), the server's by 0.3 when what edges use of it left the
// class that users see. The client's went up by 0.4 when it kept cookies, repeated what 429 refused, and read responses that break the rules of the transport.
// Two numbers a row, of one compressed file as the benchmark counts: what loads at once, and what it takes besides when
// everything is used (dynamic imports). Libraries from package.json's
// `dependencies` stay outside the bundle: Tenon loads every one of them lazily. Needs a build.
import { gzipSync } from "node:zlib";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { command, tenon } from "./places.mjs";
import { publicEntries } from "./public-entries.mjs";
import { endWithReader } from "./stdout.mjs";

endWithReader();

const { exports, dependencies, peerDependencies } = JSON.parse(readFileSync(join(tenon, "package.json"), "utf8"));
const KIB = 1024;

const SERVER = `
import { McpServer } from "tenon/server";
import { serveStdio } from "tenon/node";
const server = new McpServer({ name: "sums", version: "1.0.0" });
server.tool("add", { input: { type: "object" } }, ({ a, b }) => String(a + b));
await serveStdio(server);`;
const CLIENT = `
import { connect } from "tenon/client";
const client = await connect({ command: "node", args: ["server.js"] });
console.log(await client.callTool("add", { a: 1, b: 2 }));
await client.close();`;

/**
 * Entries that share chunks with all others: above it something at the top of a module keeps alive what they do not use. Both went up
 * by 0.2 when calls no longer made a signal each (`base/lazy-abort.ts`), and by 1 with the numbers that messages keep as they were written.
 * The middleware did by 0.5 when workers began to count calls together, by 1.7 with `audit()`, by 0.4 when `cache()` compared numbers as they were written, and by 0.4 when
 * all maps with a limit became one class and a log that rejects no longer ended the process. The authorization server did by 5 when it
 * took the assertions of a company's identity provider.
 */
const ENTRY_LIMITS = {
  "./middleware": 8 * KIB,
  "./compat/python": 14.1 * KIB,
  "./ext/apps/view": 4 * KIB,
  "./authorization-server": 32 * KIB,
};

/** What a browser loads for `tenon inspect`. */
const PAGE_LIMIT = 150 * KIB;

const PROGRAMS = [
  // What a tool with `once` or `confirm` does is loaded with its first call; that there is something to load costs the server 0.1.
  // Both sides share the requests that one sends: a call that says how much time it has left costs the server 0.1. The check of the options
  // of `discovery`, and that there is something to load for it, cost 0.4; those of `spill`, with the tool that a list then has at once, 0.9. The pages of an endpoint and what came with them cost 0.5.
  { name: "minimal server (stdio)", code: SERVER, target: 48 * KIB, limit: 58 * KIB },
  { name: "minimal client (stdio)", code: CLIENT, target: 30 * KIB, limit: 37.1 * KIB },
  ...publicEntries(exports).map(([subpath]) => ({
    name: `all of tenon${subpath.slice(1)}`,
    code: `export * from "tenon${subpath.slice(1)}";`,
    limit: ENTRY_LIMITS[subpath],
  })),
];

/** Dynamic imports stay what they are: what they lead to is not in the bundle. */
const withoutLazy = {
  name: "without-lazy",
  setup: ({ onResolve }) =>
    onResolve({ filter: /.*/ }, ({ kind, path }) => (kind === "dynamic-import" ? { path, external: true } : undefined)),
};

/** Bytes of the whole program in one file, after gzip. */
async function bundled(code, plugins) {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: tenon, loader: "js" },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: [dependencies, peerDependencies].flatMap(Object.keys),
    plugins,
    write: false,
    logLevel: "silent",
  });
  return gzipSync(outputFiles[0].contents, { level: 9 }).length;
}

async function measure(code) {
  const [now, all] = await Promise.all([bundled(code, [withoutLazy]), bundled(code, [])]);
  return { now, later: all - now };
}

const kib = (bytes) => `${(bytes / KIB).toFixed(1)} KiB`;
let over = false;
console.log(`${"program".padEnd(26)}${"at once".padStart(10)}${"on use".padStart(10)}${"target".padStart(10)}${"limit".padStart(10)}`);
for (const { name, code, target, limit } of PROGRAMS) {
  const { now, later } = await measure(code);
  over ||= now > limit;
  const columns = [now, later, target, limit].map((bytes) => (bytes === undefined ? "" : kib(bytes)).padStart(10)).join("");
  console.log(`${name.padEnd(26)}${columns}${now > limit ? "  over the limit" : now > target ? "  over the target" : ""}`);
}
const page = ["page.js", "page.css", "index.html"].map(
  (name) => gzipSync(readFileSync(join(command, "dist/inspector", name)), { level: 9 }).length,
);
const pageSize = page.reduce((sum, bytes) => sum + bytes, 0);
over ||= pageSize > PAGE_LIMIT;
console.log(
  `${"page of tenon inspect".padEnd(26)}${[pageSize, 0, undefined, PAGE_LIMIT].map((bytes) => (bytes === undefined ? "" : kib(bytes)).padStart(10)).join("")}${pageSize > PAGE_LIMIT ? "  over the limit" : ""}`,
);
if (over) process.exit(1);
