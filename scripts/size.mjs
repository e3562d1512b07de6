// Prints what Tenon adds to a bundle, minified and gzipped. `target` is where we want to be (bench/targets.md); `limit` is
// the most a change may leave behind: it follows the size down, never up, and above it the check fails.
// Two numbers a row, each as one compressed file, as the benchmark counts: what loads at once, and what loads only when
// used (dynamic imports). Libraries from package.json's
// `dependencies` stay outside the bundle: Tenon loads every one of them lazily. Needs a build.
import { gzipSync } from "node:zlib";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { endWithReader } from "./stdout.mjs";

endWithReader();

const root = fileURLToPath(new URL("..", import.meta.url));
const { exports, dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
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

const PROGRAMS = [
  { name: "minimal server (stdio)", code: SERVER, target: 16 * KIB, limit: 35 * KIB },
  { name: "minimal client (stdio)", code: CLIENT, target: 20 * KIB, limit: 24 * KIB },
  ...Object.keys(exports)
    .filter((subpath) => !subpath.endsWith(".json"))
    .map((subpath) => ({ name: `all of tenon${subpath.slice(1)}`, code: `export * from "tenon${subpath.slice(1)}";` })),
];

/** Sizes in bytes after gzip: the chunks the entry imports statically, and all others. */
async function measure(code) {
  const { metafile, outputFiles } = await build({
    stdin: { contents: code, resolveDir: root, loader: "js" },
    bundle: true,
    minify: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: [dependencies, peerDependencies].flatMap(Object.keys),
    outdir: join(root, "out"),
    metafile: true,
    write: false,
    logLevel: "silent",
  });
  const contents = new Map(outputFiles.map((file) => [file.path, file.contents]));
  const sizeOf = (paths) => gzipSync(Buffer.concat(paths.map((path) => contents.get(join(process.cwd(), path)))), { level: 9 }).length;
  const atOnce = new Set();
  const visit = (path) => {
    if (atOnce.has(path)) return;
    atOnce.add(path);
    for (const { path: next, kind, external } of metafile.outputs[path].imports) {
      if (!external && kind === "import-statement") visit(next);
    }
  };
  visit(Object.keys(metafile.outputs).find((path) => metafile.outputs[path].entryPoint === "<stdin>"));
  const later = Object.keys(metafile.outputs).filter((path) => !atOnce.has(path));
  return { now: sizeOf([...atOnce]), later: later.length === 0 ? 0 : sizeOf(later) };
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
if (over) process.exit(1);
