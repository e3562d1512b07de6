/** A configuration as `tenon gateway` reads it: the servers, and the members `tenon`. */
import { canonicalJson, readConfig } from "tenon/internal";
import type { ServerConfigs } from "tenon/node";
import type { AskConsent } from "../../consent/consent.ts";
import { configVariablesOf, type Shell } from "../../shell.ts";
import { GatewaySettings } from "./settings/settings.ts";

export interface LoadedConfig {
  readonly servers: ServerConfigs;
  readonly settings: GatewaySettings;
}

export interface LoadOptions {
  readonly shell: Shell;
  readonly onWarning?: (warning: string) => void;
  /** Called with the path of each file that holds secrets. */
  readonly onFile?: (path: string) => void;
  readonly consent: AskConsent;
}

/** @throws ServerConfigError with all faults of the file, by line, server and field */
export async function loadGatewayConfig(file: string, { shell, consent, ...options }: LoadOptions): Promise<LoadedConfig> {
  const settings = new GatewaySettings();
  const servers = await readConfig(file, { ...options, ...configVariablesOf(shell) }, { settings, cwd: shell.cwd, consent });
  return { servers, settings };
}

/** Says that there is nothing to serve, and what to do; undefined if there is a server. */
export function emptiness(file: string, servers: ServerConfigs): string | undefined {
  if (Object.keys(servers).length > 0) return undefined;
  return `${file} has no server to serve: it lists none, or all are disabled. Add one to its "mcpServers".`;
}

/** All that it says, to compare. Holds secrets. */
export function textOf({ servers, settings }: LoadedConfig): string {
  return canonicalJson(servers) + settings.text;
}
