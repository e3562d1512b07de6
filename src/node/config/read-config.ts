/** The work of `loadConfig`, loaded when it is called: reads a configuration, checks it and fills in its variables. */
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import * as util from "node:util";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { describeProblem, ServerConfigError, type ConfigProblem } from "./config-problem.ts";
import { parseConfigText } from "./config-text.ts";
import type { Variables } from "./config-variables.ts";
import { isDisabled, ServerReader, type ReadServer, type ServerConfig } from "./server-config.ts";

/** The servers of a configuration by their names. `ClientSessionGroup.connect` takes it as it is. */
export interface ServerConfigs {
  [name: string]: ServerConfig;
}

/** Options of {@link loadConfig}. */
export interface LoadConfigOptions {
  /** The environment for `${NAME}` and `${env:NAME}`. Default: that of this process. */
  env?: { readonly [name: string]: string | undefined };
  /**
   * Other variables, by the text between the braces: `{ "input:token": "…", workspaceFolder: "/work" }`. Default: none;
   * `workspaceFolder` is the working directory of this process.
   */
  variables?: { readonly [name: string]: string };
  /** Called for each unknown field, which is ignored. Default: no warnings. */
  onWarning?: (message: string) => void;
}

const LOAD_OPTIONS: OptionKeys<LoadConfigOptions> = { env: 1, variables: 1, onWarning: 1 };

/** @throws ServerConfigError with all problems */
export async function readConfig(source: string | URL | object, options: LoadConfigOptions): Promise<ServerConfigs> {
  assertKnown("loadConfig()", options, LOAD_OPTIONS);
  const isFile = typeof source === "string" || source instanceof URL;
  const file = isFile ? (source instanceof URL ? fileURLToPath(source) : source) : "The configuration";
  const config = isFile ? parseConfigText(await read(file, file), file) : source;
  const variables: Variables = { env: options.env ?? process.env, given: options.variables ?? {} };
  const problems: ConfigProblem[] = [];
  const servers: [string, ReadServer][] = [];
  for (const [name, entry] of Object.entries(serversOf(config, file))) {
    if (isDisabled(entry)) continue;
    const reader = new ServerReader(name, entry, variables);
    const server = reader.read();
    problems.push(...reader.problems);
    if (server !== undefined) servers.push([name, server]);
    for (const field of reader.unknown)
      options.onWarning?.(`${file}: ${describeProblem({ server: name, field, message: "is not known, and ignored" })}`);
  }
  if (problems.length > 0) throw new ServerConfigError(file, problems);
  return Object.fromEntries(
    await Promise.all(servers.map(async ([name, server]) => [name, await withEnvFile(file, name, server)] as const)),
  );
}

function serversOf(config: unknown, file: string): JsonObject {
  if (!isJsonObject(config)) throw new ServerConfigError(file, [{ message: "must be an object" }]);
  const field = ["mcpServers", "servers"].find((name) => config[name] !== undefined);
  const servers = field === undefined ? undefined : config[field];
  if (isJsonObject(servers)) return servers;
  const message = field === undefined ? 'has neither "mcpServers" nor "servers"' : `"${field}" must be an object`;
  throw new ServerConfigError(file, [{ message }]);
}

/** Adds the variables of `envFile`. Variables in the configuration itself replace them. */
async function withEnvFile(file: string, server: string, { config, envFile }: ReadServer): Promise<ServerConfig> {
  if (envFile === undefined || config.type !== "stdio") return config;
  const problem = (message: string): ServerConfigError => new ServerConfigError(file, [{ server, field: "envFile", message }]);
  // Node before 20.12 lacks it, and an import by name would fail there.
  const parseEnv: typeof util.parseEnv | undefined = util.parseEnv;
  if (parseEnv === undefined) throw problem("this runtime cannot read such files; Node can from 20.12 on");
  try {
    const env = parseEnv(await read(envFile, file));
    return { ...config, env: { ...(env as { [name: string]: string }), ...config.env } }; // all values are strings
  } catch (error) {
    throw error instanceof ServerConfigError ? problem(error.problems[0]!.message) : error;
  }
}

/** @throws ServerConfigError about `file` */
async function read(path: string, file: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new ServerConfigError(file, [{ message: `cannot be read: ${code}` }]);
  }
}
