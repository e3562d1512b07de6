/**
 * The configuration files in which hosts list their servers, as something to connect to: `mcpServers` (Claude, Cursor and
 * most others) or `servers` (VS Code). What reads them (`read-config.ts`) is loaded when one is read.
 */
import type { ServerConfig } from "./server-config.ts";

/** The servers of a configuration by their names. `ClientSessionGroup.connect` takes it as it is. */
export interface ServerConfigs {
  [name: string]: ServerConfig;
}

export interface LoadConfigOptions {
  /** The environment that `${NAME}` and `${env:NAME}` are taken from. Default: that of this process. */
  env?: { readonly [name: string]: string | undefined };
  /**
   * Other variables, by what stands between the braces: `{ "input:token": "…", workspaceFolder: "/work" }`. The workspace
   * folder is the working directory of this process otherwise.
   */
  variables?: { readonly [name: string]: string };
  /** Told of each field that means nothing here, and was ignored. Default: nobody. */
  onWarning?: (message: string) => void;
}

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
