// The Dockerfile of `examples/serving/docker`, without Docker: its instructions run one by one in an empty folder, with the Node
// that its image has, and the server answers. Packages come from the registry, Tenon from this source.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { connect } from "tenon/client";
import { expect, onTestFinished, test } from "vitest";
import { runtime } from "../runtimes/running.ts";
import { freePort } from "../../../../scripts/free-port.mjs";
import { startProgram } from "./start-program.ts";

const run = promisify(execFile);
const script = fileURLToPath(new URL("../../../../scripts/pack.mjs", import.meta.url));
const example = fileURLToPath(new URL("../../../../examples/serving/docker/", import.meta.url));

/** The instructions of a Dockerfile, in order. */
function instructions(): [name: string, rest: string][] {
  const lines = readFileSync(join(example, "Dockerfile"), "utf8").trim().split("\n");
  return lines.map((line) => /^([A-Z]+) (.*)$/.exec(line)!.slice(1) as [string, string]);
}

/** The last instruction with a name. */
const last = (name: string): string => instructions().findLast(([found]) => found === name)![1];

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tenon-docker-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Packs Tenon and serves the tarball, as a registry would; resolves with its URL. */
async function publish(env: NodeJS.ProcessEnv): Promise<string> {
  const { stdout } = await run(process.execPath, [script, "--only", "tenon", "--to", temporaryFolder()], { env });
  const tarball = readFileSync(stdout.trim());
  const registry = createServer((_request, response) => response.end(tarball)).listen(0, "127.0.0.1");
  await once(registry, "listening");
  onTestFinished(() => {
    registry.close();
    registry.closeAllConnections();
  });
  return `http://127.0.0.1:${(registry.address() as AddressInfo).port}/tenon.tgz`; // it listens on a port
}

test("the steps of the Dockerfile make a server that answers, is healthy and stops in order", async (context) => {
  const [node] = runtime("node-24", context);
  const env = {
    ...process.env,
    PATH: `${dirname(node)}:${process.env["PATH"]}`,
    npm_config_prefer_offline: "true",
    NODE_OPTIONS: "",
  };
  const sh = (command: string, cwd: string): Promise<unknown> => run("sh", ["-c", command], { cwd, env });

  // What the page says before `docker build`.
  const sources = temporaryFolder();
  cpSync(example, sources, { recursive: true });
  await sh("npm init -y && npm pkg set type=module", sources);
  await sh(`npm install --no-audit --no-fund ${await publish(env)} zod@4.6.7`, sources);

  const image = temporaryFolder();
  for (const [name, rest] of instructions()) {
    if (name === "RUN") await sh(rest, image);
    if (name === "COPY") copy(rest.split(" "), sources, image);
    if (name === "ENV") for (const pair of rest.split(" ")) Object.assign(env, Object.fromEntries([pair.split("=")]));
  }

  const port = await freePort();
  const [command, ...args] = JSON.parse(last("CMD")) as [string, ...string[]]; // the exec form of the instruction
  const program = await startProgram([command, ...args], {
    cwd: image,
    port,
    env: { ...env, PORT: `${port}` } as Record<string, string>,
  });
  await using client = await connect(`http://127.0.0.1:${port}/mcp`);
  expect((await client.callTool("add", { a: 1, b: 2 })).text).toBe("3");

  const [check, ...checkArgs] = JSON.parse(last("HEALTHCHECK").replace("CMD ", "")) as [string, ...string[]];
  const healthy = (): Promise<unknown> => run(check, checkArgs, { env: { ...env, PORT: `${port}` } });
  await healthy();
  await client.close();
  expect(await program.end("SIGTERM")).toBe(0);
  await expect(healthy()).rejects.toThrow("Command failed");
});

function copy(paths: readonly string[], from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const path of paths.slice(0, -1)) copyFileSync(join(from, path), join(to, path));
}

test("the image runs its server as a user without privileges", () => {
  const names = instructions().map(([name]) => name);
  expect(last("USER")).toBe("node"); // uid 1000 of the official image
  expect(names.indexOf("USER")).toBeLessThan(names.indexOf("CMD"));
  expect(names.filter((name) => name === "USER" || name === "CMD")).toHaveLength(2);
});
