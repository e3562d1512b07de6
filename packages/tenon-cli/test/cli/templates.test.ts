// `tenon init --template` and `--ci`: what each template writes type-checks, starts and serves calls where that can be done
// without an account, and the workflow checks and publishes.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { connect, type Fetch } from "tenon/client";
import { expect, onTestFinished, test, vi } from "vitest";

import { startProgram } from "../../../tenon/test/examples/start-program.ts";
import { runtime } from "../../../tenon/test/runtimes/running.ts";
import { freePort } from "../../../../scripts/free-port.mjs";
import { parse } from "../../../tenon/test/support/yaml.ts";
import { runCommand } from "./run-command.ts";

vi.setConfig({ testTimeout: 120_000 });

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const NAMES = ["cloudflare", "docker", "fly", "lambda", "render", "vercel"];

/** A folder with a project, in which the packages are found that were built. */
async function project(name: string, ...args: string[]): Promise<string> {
  const folder = join(root, "out", `template-${name}-${process.pid}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  symlinkSync(join(root, "packages/tenon"), join(folder, "node_modules", "tenon"));
  writeFileSync(join(folder, "vitest.config.mjs"), "export default {};"); // the one of this repository would be found above it
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  expect(await runCommand(["init", "my.sums", "--yes", ...args], { cwd: folder })).toMatchObject({ code: 0 });
  return join(folder, "my.sums");
}

const read = (folder: string, path: string): string => readFileSync(join(folder, path), "utf8");
const tsc = (folder: string, ...args: string[]): object => {
  const { status, stdout } = spawnSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder, ...args], {
    encoding: "utf8",
  });
  return { status, stdout };
};

/** What clients of both families of revisions get from the tool of the project. */
async function sums(url: string, fetch?: Fetch): Promise<unknown[]> {
  const results: unknown[] = [];
  for (const revision of ["2025-11-25", "2026-07-28"] as const) {
    await using client = await connect({ url, ...(fetch && { fetch }) }, { revision });
    results.push((await client.callTool("add", { a: 1, b: 2 })).data);
  }
  return results;
}
const EXPECTED = [{ sum: 3 }, { sum: 3 }];

test("there is a folder for each template, and the option and its page name them all", async () => {
  expect(
    readdirSync(join(root, "packages/tenon-cli/templates"))
      .filter((name) => name !== "tsconfig.json")
      .toSorted(),
  ).toEqual(NAMES);
  const { stdout } = await runCommand(["help", "init"]);
  const page = read(root, "docs/serving/templates.md");
  for (const name of NAMES) {
    expect(stdout).toContain(name);
    expect(page).toContain(`tenon init weather --template ${name}`);
  }
});

test.each(NAMES)("%s: what is written type-checks, has npm run deploy, and no place for a name is left", async (name) => {
  const folder = await project(name, "--template", name, "--ci");
  expect(tsc(folder)).toEqual({ status: 0, stdout: "" });
  const { scripts, dependencies, devDependencies } = JSON.parse(read(folder, "package.json")) as Record<
    "scripts" | "dependencies" | "devDependencies",
    Record<string, string>
  >; // our own file
  for (const range of Object.values({ ...dependencies, ...devDependencies })) expect(range).toMatch(/^(?:\^\d|file:)/);
  expect(scripts).toMatchObject({
    deploy: expect.any(String) as string,
    start: expect.not.stringMatching(/^node .*\.ts$/) as string, // Node 20 does not read TypeScript
    dev: "tenon dev src/server.ts",
    types: "tsc",
    test: "vitest run",
  });
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  // Also as a formatter would write such a place.
  for (const { parentPath, name: file } of files) expect(read(parentPath, file)).not.toMatch(/\{ ?\{ ?\w* ?\}/);
  expect(files.map(({ name: file }) => file)).not.toContain("template.json");
});

test.each([
  ["docker", { ALLOWED_HOSTS: "localhost,127.0.0.1" }],
  ["fly", { FLY_APP_NAME: "sums" }],
  ["render", { RENDER_EXTERNAL_HOSTNAME: "sums.onrender.com" }],
])("%s: the server starts, serves calls, shows its page, is ready, and ends on SIGTERM", async (name, env) => {
  const folder = await project(name, "--template", name);
  const port = await freePort();
  const program = await startProgram(
    [process.execPath, "--import", join(root, "node_modules/jiti/lib/jiti-register.mjs"), "src/main.ts"],
    {
      cwd: folder,
      port,
      env: { ...env, PORT: String(port) },
    },
  );
  const url = `http://127.0.0.1:${port}/mcp`;
  expect(await sums(url)).toEqual(EXPECTED);
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
  expect(await (await fetch(url, { headers: { accept: "text/html" } })).text()).toContain("Add to VS Code");
  expect(await program.end("SIGTERM")).toBe(0);
});

test("cloudflare: the worker serves calls in workerd, with the settings of wrangler.json", async (context) => {
  const command = runtime("workerd", context);
  const folder = await project("cloudflare", "--template", "cloudflare");
  const { name, main, compatibility_date, compatibility_flags } = JSON.parse(read(folder, "wrangler.json")) as Record<
    string,
    string
  >;
  expect(name).toBe("my-sums");
  await build({
    entryPoints: [join(folder, main!)],
    outfile: join(folder, "worker.js"),
    bundle: true,
    format: "esm",
    conditions: ["workerd", "worker", "browser"],
    logLevel: "error",
  });
  const port = await freePort();
  const template = read(root, "packages/tenon/test/runtimes/workerd.capnp");
  const config = template
    .replace("[FLAGS]", JSON.stringify(compatibility_flags))
    .replace("2026-01-01", compatibility_date!)
    .replace("127.0.0.1:0", `127.0.0.1:${port}`);
  writeFileSync(join(folder, "workerd.capnp"), config);
  await startProgram([command[0], "serve", "--verbose", join(folder, "workerd.capnp")], { cwd: folder, port });
  expect(await sums(`http://127.0.0.1:${port}/mcp`)).toEqual(EXPECTED);
});

test("vercel: the function serves calls, at the path of the rewrite", async () => {
  const folder = await project("vercel", "--template", "vercel");
  const settings = JSON.parse(read(folder, "vercel.json")) as { rewrites: unknown; functions: object };
  expect(settings).toMatchObject({ rewrites: [{ source: "/mcp", destination: "/api/mcp" }], functions: { "api/mcp.ts": {} } });
  const outfile = join(folder, "function.mjs");
  await build({
    entryPoints: [join(folder, "api/mcp.ts")],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    logLevel: "error",
  });
  const { POST, GET } = (await import(pathToFileURL(outfile).href)) as Record<
    "POST" | "GET",
    (request: Request) => Promise<Response>
  >; // what it exports
  expect(await sums("https://sums.vercel.app/mcp", (url, init) => POST(new Request(url, init)))).toEqual(EXPECTED);
  expect((await GET(new Request("https://sums.vercel.app/mcp", { headers: { accept: "text/html" } }))).status).toBe(200);
});

test("lambda: the bundle of npm run bundle serves the events of a function URL", async () => {
  const folder = await project("lambda", "--template", "lambda");
  const { scripts } = JSON.parse(read(folder, "package.json")) as { scripts: { bundle: string } };
  expect(
    spawnSync(join(root, "node_modules/.bin/esbuild"), scripts.bundle.split(" ").slice(1), { cwd: folder, encoding: "utf8" }),
  ).toMatchObject({ status: 0 });
  const { handler } = (await import(pathToFileURL(join(folder, "dist/lambda.mjs")).href)) as {
    handler: (event: object) => Promise<{ statusCode: number; headers: Record<string, string>; body: string }>;
  }; // what it exports
  const byEvent: Fetch = async (url, init) => {
    const request = new Request(url, init);
    const { hostname, pathname } = new URL(request.url);
    const body =
      request.method === "POST"
        ? { body: Buffer.from(await request.text()).toString("base64"), isBase64Encoded: true }
        : { isBase64Encoded: false };
    const {
      statusCode,
      headers,
      body: text,
    } = await handler({
      rawPath: pathname,
      headers: Object.fromEntries(request.headers),
      requestContext: { domainName: hostname, http: { method: request.method } },
      ...body,
    });
    return new Response(statusCode === 202 ? null : text, { status: statusCode, headers });
  };
  expect(await sums("https://abc.lambda-url.eu-north-1.on.aws/mcp", byEvent)).toEqual(EXPECTED);
  const sam = parse(read(folder, "template.yaml"), { logLevel: "silent" }) as { Resources: { Server: { Properties: object } } };
  expect(sam.Resources.Server.Properties).toMatchObject({ CodeUri: "dist", Handler: "lambda.handler" });
});

interface Workflow {
  readonly on: { readonly push: { readonly tags: string[] } };
  readonly permissions: object;
  readonly jobs: Record<
    "check" | "publish",
    { readonly permissions?: object; readonly steps: readonly { readonly run?: string }[]; readonly if?: string }
  >;
}

test("--ci writes a workflow whose build serves stdio, and whose package the registry would take", async () => {
  const folder = await project("ci", "--ci");
  const { on, permissions, jobs } = parse(read(folder, ".github/workflows/ci.yml")) as Workflow; // as GitHub reads it
  expect({ tags: on.push.tags, permissions, publishes: jobs.publish.permissions }).toEqual({
    tags: ["v*"],
    permissions: { contents: "read" },
    publishes: { contents: "read", "id-token": "write" },
  });
  const [checks, publishes] = [jobs.check, jobs.publish].map(({ steps }) => steps.flatMap(({ run }) => run ?? []).join("\n")) as [
    string,
    string,
  ]; // of two jobs
  expect(checks).toMatch(/npm ci\nnpm run types\nnpm test\nnpm run build/);
  expect(publishes).toMatch(/npm publish --provenance[^]*login github-oidc[^]*mcp-publisher publish/);
  expect(jobs.publish.if).toContain("refs/tags/v");
  // What the jobs run, as far as it needs no network.
  expect(tsc(folder)).toEqual({ status: 0, stdout: "" });
  expect(tsc(join(folder, "tsconfig.build.json"))).toEqual({ status: 0, stdout: "" });
  await using client = await connect({ command: process.execPath, args: [join(folder, "dist/bin.js")] });
  expect((await client.callTool("add", { a: 1, b: 2 })).data).toEqual({ sum: 3 });
  const set = /npm pkg set .*/.exec(publishes)![0];
  const env = { PATH: process.env["PATH"], GITHUB_REPOSITORY: "ada/sums", GITHUB_SERVER_URL: "https://github.com" };
  expect(spawnSync("sh", ["-c", set], { cwd: folder, encoding: "utf8", env })).toMatchObject({ status: 0 });
  expect(await runCommand(["publish", "src/server.ts", "--check", "-o", "server.json"], { cwd: folder })).toMatchObject({
    code: 0,
  });
  expect(JSON.parse(read(folder, "server.json"))).toMatchObject({
    name: "io.github.ada/sums",
    packages: [{ identifier: "my.sums" }],
  });
});

test.each([
  [["--template", "heroku"], "--template must be one of cloudflare, docker, fly, lambda, render, vercel, not"],
  [["--template", "fly", "--docker"], "--docker says what --template fly says already"],
  [["--template", "fly", "--transport", "stdio"], "--transport says what --template fly says already"],
])("%j is refused", async (args, why) => {
  expect(await runCommand(["init", "x", "--yes", ...args], { cwd: join(root, "out") })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(why) as string,
  });
});
