/**
 * Projects after `tenon move`, for tests of `tenon move --native`: the layer has the place of the official SDK. Needs a build.
 */
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { transformSync } from "esbuild";
import { type Client, connect, type ConnectOptions, McpError } from "tenon/client";
import type { JsonObject } from "tenon";
import { expect, onTestFinished } from "vitest";
import { outsideFolder, root, write } from "../cli/packed.ts";
import { freePort } from "../../../../scripts/free-port.mjs";

const LINKS: Readonly<Record<string, string>> = {
  "@modelcontextprotocol/sdk": "packages/sdk-v1",
  tenon: "packages/tenon",
  "@modelcontextprotocol/server": "node_modules/@modelcontextprotocol/server",
  ...Object.fromEntries(["zod", "express", "@types"].map((name) => [name, `node_modules/${name}`])),
};

export function movedProject(files: Readonly<Record<string, string | object>>): string {
  const { path, remove } = outsideFolder();
  onTestFinished(remove);
  write(path, { "package.json": { name: "native", type: "module" }, ...files });
  for (const [name, target] of Object.entries(LINKS)) {
    mkdirSync(dirname(join(path, "node_modules", name)), { recursive: true });
    symlinkSync(join(root, target), join(path, "node_modules", name));
  }
  return path;
}

/** Makes a program of a file in TypeScript, without a look at its types. */
export function transpile(folder: string, file: string): string {
  const { code } = transformSync(readFileSync(join(folder, file), "utf8"), { loader: "ts", format: "esm", target: "node20" });
  const program = `${file.replace(/\.\w+$/, "")}.run.mjs`;
  write(folder, { [program]: code });
  return program;
}

export interface Asked {
  /** Where it serves over HTTP; undefined for stdio. */
  readonly path: string | undefined;
  readonly revision: NonNullable<ConnectOptions["revision"]>;
  readonly requests: readonly (readonly [method: string, params: JsonObject])[];
}

/** What a program offers, and its answers. */
export async function answersOf(folder: string, program: string, { path, revision, requests }: Asked): Promise<unknown[]> {
  const command = { command: process.execPath, args: [join(folder, program)] };
  if (path === undefined) {
    await using client = await connect({ ...command, stderr: "pipe" }, { revision });
    return await ask(client, requests);
  }
  const port = await freePort();
  const child = spawn(command.command, command.args, { env: { ...process.env, PORT: String(port) }, stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("close", resolve));
  try {
    const url = `http://127.0.0.1:${port}${path}`;
    await expect
      .poll(() =>
        fetch(url, { method: "OPTIONS" }).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .not.toBe(0);
    await using client = await connect(url, { revision });
    return await ask(client, requests);
  } finally {
    child.kill("SIGKILL");
    await ended;
  }
}

async function ask(client: Client, requests: Asked["requests"]): Promise<unknown[]> {
  const answers: unknown[] = [client.serverInfo, client.instructions ?? null];
  for (const [method, params] of requests) answers.push(await answerOf(client, method, params));
  return JSON.parse(JSON.stringify(answers), sameOnBoth) as unknown[];
}

async function answerOf(client: Client, method: string, params: JsonObject): Promise<unknown> {
  try {
    return await client.request(method, params);
  } catch (error) {
    if (!McpError.isMcpError(error)) throw error;
    // 1.x writes the code before the text of an McpError.
    return { code: error.code, message: error.message.replace(/^MCP error -\d+: /, "") };
  }
}

/** Tenon writes neither the draft of a schema nor that a tool cannot be a task. */
function sameOnBoth(key: string, value: unknown): unknown {
  return key === "$schema" || key === "execution" ? undefined : value;
}
