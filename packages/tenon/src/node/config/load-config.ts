/**
 * `loadConfig()`: reads the configuration files in which hosts list their servers: `mcpServers` (Claude, Cursor and most
 * others) or `servers` (VS Code). `read-config.ts` is loaded with the first file.
 */
import type { EntryDemand } from "./demands.ts";
import type { LoadConfigOptions } from "./load-options.ts";
import type { ServerConfigs } from "./read-config.ts";

/**
 * Reads the servers of a configuration file, or of an object of the same form. Comments and trailing commas are allowed; servers
 * that are `disabled` are left out. A server's variables come only from `env` and `envFile`.
 * @param source a path, a `file:` URL, or the configuration itself
 * @throws ServerConfigError with all problems, by line, server and field; it never shows values; and what `consent` throws
 */
export async function loadConfig(source: string | URL | object, options: LoadConfigOptions = {}): Promise<ServerConfigs> {
  const { readConfig } = await import("./read-config.ts");
  const { consent } = options;
  return readConfig(source, options, consent && { consent: (demands) => refusedOf(demands, consent) });
}

/** The servers that may not be used. They are asked for one after the other. */
async function refusedOf(
  demands: readonly EntryDemand[],
  consent: NonNullable<LoadConfigOptions["consent"]>,
): Promise<ReadonlySet<string>> {
  const refused = new Set<string>();
  for (const demand of demands) {
    const answer: unknown = await consent(demand); // JavaScript returns anything
    if (answer !== true && demand.server !== undefined) refused.add(demand.server);
  }
  return refused;
}
