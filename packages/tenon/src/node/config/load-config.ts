/**
 * `loadConfig()`: reads the configuration files in which hosts list their servers: `mcpServers` (Claude, Cursor and most
 * others) or `servers` (VS Code). `read-config.ts` is loaded with the first file.
 */
import type { LoadConfigOptions, ServerConfigs } from "./read-config.ts";

/**
 * Reads the servers of a configuration file, or of an object of the same form. Comments and trailing commas are allowed; servers
 * that are `disabled` are left out. A server's variables come only from `env` and `envFile`.
 * @param source a path, a `file:` URL, or the configuration itself
 * @throws ServerConfigError with all problems, by line, server and field; it never shows values
 */
export async function loadConfig(source: string | URL | object, options: LoadConfigOptions = {}): Promise<ServerConfigs> {
  const { readConfig } = await import("./read-config.ts");
  return readConfig(source, options);
}
