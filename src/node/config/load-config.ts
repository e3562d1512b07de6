/**
 * The configuration files in which hosts list their servers, as something to connect to: `mcpServers` (Claude, Cursor and
 * most others) or `servers` (VS Code). What reads them (`read-config.ts`) is loaded when one is read.
 */
import type { LoadConfigOptions, ServerConfigs } from "./read-config.ts";

/**
 * Reads the servers of a configuration file, or of an object of the same form. Comments and trailing commas are taken;
 * servers that are `disabled` are left out. The environment of a server is that of `env` and `envFile`, nothing else.
 * @param source a path, a `file:` URL, or the configuration itself
 * @throws ServerConfigError with everything that is wrong, by server and field; values are never shown
 */
export async function loadConfig(source: string | URL | object, options: LoadConfigOptions = {}): Promise<ServerConfigs> {
  const { readConfig } = await import("./read-config.ts");
  return readConfig(source, options);
}
