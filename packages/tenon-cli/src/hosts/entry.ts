/** Makes the entry of a server for a host. */
import { UsageError } from "../failure.ts";
import type { Entry, Host, HostProgram, HostServer } from "./host.ts";

/** Names that may stand in a file and in a command. */
const SERVER_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Security: a name reaches files and the commands of hosts. @throws UsageError */
export function assertServerName(name: string): void {
  if (SERVER_NAME.test(name) && name !== "__proto__") return;
  throw new UsageError(
    `${JSON.stringify(name)} cannot name a server: use 1 to 64 of the characters A-Z, a-z, 0-9, "-" and "_", with --name.`,
  );
}

/** @throws UsageError if the host cannot have such a server in its file */
export function toEntry(host: Host, server: HostServer): Entry {
  if (!("url" in server)) return programEntry(host, server);
  if (host.url === undefined)
    throw new UsageError(`${host.name} takes no URL from its file: add ${server.url} in its settings, under connectors.`);
  return host.url(server);
}

function programEntry(host: Host, { command, args, env, references }: HostProgram): Entry {
  const { reference } = host;
  if (references.length > 0 && reference === undefined)
    throw new UsageError(
      `${host.name} cannot refer to a variable: --env ${references[0]} has to be --env ${references[0]}=value, which stands in its file.`,
    );
  const byName = host.format === "toml";
  const referred = byName ? {} : Object.fromEntries(references.map((name) => [name, reference!(name)]));
  const variables = { ...env, ...referred };
  return {
    ...host.program,
    command,
    args,
    ...(byName && references.length > 0 && { env_vars: references }),
    ...(Object.keys(variables).length > 0 && { env: variables }),
  };
}
