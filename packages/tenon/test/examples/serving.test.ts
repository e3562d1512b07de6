// The programs of `examples/serving` run as a reader runs them, and clients of both families of revisions call them. Each is on a
// page of `docs/serving`, letter by letter.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { connect, type Target } from "tenon/client";
import { beforeAll, describe, expect, test } from "vitest";
import { runtime } from "../runtimes/running.ts";
import { docProject, type DocProject } from "../support/doc-project.ts";
import { freePort } from "../../../../scripts/free-port.mjs";
import { startProgram } from "./start-program.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const examples = join(root, "examples", "serving");
const files = readdirSync(examples, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(examples.length + 1))
  .sort();
const read = (file: string): string => readFileSync(join(examples, file), "utf8");
const pages = readdirSync(join(root, "docs", "serving")).map((name) => readFileSync(join(root, "docs", "serving", name), "utf8"));

const REVISIONS = ["2025-11-25", "2026-07-28"] as const;

let project: DocProject;
let folder: string;

beforeAll(async () => {
  const blocks = files.map((file) => ({ file: `0/${file}`, code: read(file), line: 1 }));
  project = await docProject("serving", new Map([["serving.md", { blocks, commands: [], json: [] }]]));
  folder = join(project.folder, "serving", "0");
});

test.each(files)("a page shows %s as it is", (file) => {
  expect(pages.filter((page) => page.includes(`\n${read(file)}\`\`\`\n`))).toHaveLength(1);
});

/** What each revision's client gets from the tool "add". */
async function sums(target: Target): Promise<string[]> {
  const results: string[] = [];
  for (const revision of REVISIONS) {
    await using client = await connect(target, { revision });
    results.push(`${revision}: ${(await client.callTool("add", { a: 1, b: 2 })).text}`);
  }
  return results;
}
const EXPECTED = REVISIONS.map((revision) => `${revision}: 3`);

describe("on Node", () => {
  test.each(["express.ts", "fastify.ts", "hono.ts"])("%s serves calls, and ends on SIGTERM", async (file) => {
    const port = await freePort();
    const program = await startProgram([join(project.folder, "bin", "node"), file], { cwd: folder, port });
    expect(await sums(`http://127.0.0.1:${port}/mcp`)).toEqual(EXPECTED);
    expect(await program.end("SIGTERM")).toBe(0);
  });
});

describe("on other runtimes", () => {
  test("bun.ts serves calls", async (context) => {
    const port = await freePort();
    await startProgram([...runtime("bun", context), "bun.ts"], { cwd: folder, port });
    expect(await sums(`http://127.0.0.1:${port}/mcp`)).toEqual(EXPECTED);
  });

  test("deno.ts serves calls", async (context) => {
    const port = await freePort();
    const [deno] = runtime("deno", context);
    await startProgram([deno, "serve", "--host", "127.0.0.1", "--port", `${port}`, "deno.ts"], { cwd: folder, port });
    expect(await sums(`http://127.0.0.1:${port}/mcp`)).toEqual(EXPECTED);
  });

  test("worker.ts serves calls in workerd, as wrangler.json configures it", async (context) => {
    const port = await freePort();
    const command = runtime("workerd", context);
    const config = await workerConfig(port);
    await startProgram([command[0], "serve", "--verbose", config], { cwd: folder, port });
    expect(await sums(`http://127.0.0.1:${port}/mcp`)).toEqual(EXPECTED);
  });
});

/** Bundles the worker as wrangler does; returns workerd's configuration of it. */
async function workerConfig(port: number): Promise<string> {
  // our own file
  const { main, compatibility_date, compatibility_flags } = JSON.parse(read("worker/wrangler.json")) as WranglerConfig;
  const worker = join(folder, "worker");
  await build({
    entryPoints: [join(worker, main)],
    outfile: join(worker, "worker.js"),
    bundle: true,
    format: "esm",
    conditions: ["workerd", "worker", "browser"],
    logLevel: "error",
  });
  const template = readFileSync(join(root, "packages/tenon/test", "runtimes", "workerd.capnp"), "utf8");
  const config = template
    .replace("[FLAGS]", JSON.stringify(compatibility_flags))
    .replace("2026-01-01", compatibility_date)
    .replace("127.0.0.1:0", `127.0.0.1:${port}`);
  writeFileSync(join(worker, "workerd.capnp"), config);
  return join(worker, "workerd.capnp");
}

interface WranglerConfig {
  readonly main: string;
  readonly compatibility_date: string;
  readonly compatibility_flags: readonly string[];
}
