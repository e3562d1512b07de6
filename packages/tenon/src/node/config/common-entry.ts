/**
 * Where the files of hosts list their servers, and their entries with the fields that most hosts use: `command`, `args`, `env`, `url`,
 * `headers`. Nothing is checked here.
 */
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { ServerConfigError } from "./config-problem.ts";
import { SECTIONS, sectionHint } from "./unknown-members.ts";

/** The members that list servers, as a way from the top: the first of them that is there counts. */
const PLACES: readonly (readonly string[])[] = [
  ...SECTIONS.map((name) => [name]),
  ["mcp.servers"], // settings of VS Code, also as an object
  ["amp.mcpServers"],
  ["mcp", "servers"],
  ["mcp", "mcpServers"],
  ["mcp"], // opencode
];

/** The way to the member of a configuration that lists the servers, and its value. @throws ServerConfigError */
export function serversOf(config: unknown, file: string): [place: readonly string[], servers: JsonObject] {
  if (!isJsonObject(config)) throw new ServerConfigError(file, [{ message: "must be an object" }]);
  const place = PLACES.find((path) => memberAt(config, path) !== undefined);
  const servers = place && memberAt(config, place);
  if (place !== undefined && isJsonObject(servers)) return [place, servers];
  const message =
    place === undefined ? `has neither "mcpServers" nor "servers"${sectionHint(config)}` : `"${place.join(".")}" must be an object`;
  throw new ServerConfigError(file, [{ message }]);
}

function memberAt(config: JsonObject, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined), config);
}

/** Fields of single hosts, under the names of most. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ["environment", "env"],
  ["http_headers", "headers"],
  ["requestHeaders", "headers"],
  ["transport", "type"],
  ["transportType", "type"],
]);
/** The types of single hosts, in lower case, under the names of most. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ["local", "stdio"],
  ["remote", "http"],
  ["streamablehttp", "http"],
  ["streamable", "http"],
  ["http", "http"],
  ["stdio", "stdio"],
  ["sse", "sse"],
]);

/** An entry with the fields that most hosts use; anything else is returned unchanged. @param env a variable that is only named counts if it is set here */
export function toCommonEntry(entry: unknown, env: { readonly [name: string]: string | undefined }): unknown {
  if (!isJsonObject(entry)) return entry;
  const { env_vars, env_http_headers, bearer_token_env_var, source: _, ...rest } = withCommand(entry);
  const common: JsonObject = {};
  for (const [name, value] of Object.entries(rest)) {
    if (value === null) continue;
    const known = RENAMED.get(name) ?? name;
    common[known] ??= known === "type" && typeof value === "string" ? typeOf(value) : value;
  }
  if (isJsonObject(common["env"])) common["env"] = textsOf(common["env"]);
  const names = Array.isArray(env_vars) ? env_vars.filter((name) => typeof name === "string") : [];
  if (names.length > 0)
    common["env"] = { ...valuesIn(Object.fromEntries(names.map((name) => [name, name])), env), ...objectOf(common["env"]) };
  if (isJsonObject(env_http_headers)) common["headers"] = { ...objectOf(common["headers"]), ...valuesIn(env_http_headers, env) };
  const [token] = Object.values(valuesIn({ token: bearer_token_env_var }, env));
  if (token !== undefined) common["headers"] = { ...objectOf(common["headers"]), Authorization: `Bearer ${token}` };
  return common;
}

/** Names that differ only in case, `-` and `_` are one type. */
function typeOf(type: string): string {
  return TYPES.get(type.toLowerCase().replace(/[-_]/g, "")) ?? type;
}

/** An entry whose command is one text: opencode writes a list of words, and Zed wrote an object. */
function withCommand(entry: JsonObject): JsonObject {
  const { command, ...rest } = entry;
  if (Array.isArray(command)) {
    const [program, ...args] = command as unknown[];
    return { ...rest, command: program, args: [...args, ...(Array.isArray(rest["args"]) ? (rest["args"] as unknown[]) : [])] };
  }
  if (!isJsonObject(command)) return entry;
  const { path, ...more } = command;
  return { ...rest, command: path, ...more };
}

/** VS Code allows numbers as values of variables, and null for one that is not set. */
function textsOf(variables: JsonObject): JsonObject {
  const set = Object.entries(variables).filter(([, value]) => value !== null);
  return Object.fromEntries(set.map(([name, value]) => [name, typeof value === "number" ? String(value) : value]));
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** References to the variables that a file names only; nothing is read here, so that the user can be asked first. */
function valuesIn(names: JsonObject, env: { readonly [name: string]: string | undefined }): { [key: string]: string } {
  const isSet = (name: unknown): name is string => typeof name === "string" && /^[A-Za-z_]\w*$/.test(name) && env[name] !== undefined;
  return Object.fromEntries(Object.entries(names).flatMap(([key, name]) => (isSet(name) ? [[key, `\${env:${name}}`]] : [])));
}
