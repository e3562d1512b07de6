/** Configuration files of a test, in a folder that is removed after it, and what is read of them. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { ServerConfigError } from "../../src/node/config/config-problem.ts";
import { loadConfig } from "../../src/node/config/load-config.ts";
import type { LoadConfigOptions } from "../../src/node/config/load-options.ts";
import type { ServerConfigs } from "../../src/node/config/read-config.ts";

/** A secret that no problem may show. */
export const CANARY: string = "s3cr3t-value";

export let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), "tenon-config-"))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a file into a folder of this test file. */
export function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** One server, read with this environment. */
export async function one(entry: object, options?: LoadConfigOptions): Promise<ServerConfigs[string] | undefined> {
  return (await loadConfig({ mcpServers: { s: entry } }, { env: {}, ...options }))["s"];
}

/** What is wrong with a configuration, for people. */
export async function problemsOf(config: unknown, options?: LoadConfigOptions): Promise<string> {
  const error: unknown = await loadConfig(config as object, { env: { SECRET: CANARY }, ...options }).catch(
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ServerConfigError);
  expect(JSON.stringify([error, (error as Error).message, (error as Error).stack])).not.toContain(CANARY);
  return (error as Error).message;
}
