/**
 * Reads one server of a configuration file: checks it and fills in its variables.
 *
 * It accepts the fields of common hosts: `command`, `args`, `env`, `envFile`, `cwd` of programs, and `url`, `headers` of
 * servers at a URL, with or without `type`. Problems name the field, never the value.
 */
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { HttpServerParameters } from "../../client/http/options.ts";
import type { StdioServerParameters } from "../../transport/stdio-server-parameters.ts";
import { toHttpUrl } from "../../client/http/endpoint.ts";
import type { ConfigProblem } from "./config-problem.ts";
import { expand, expandCredential, type Variables } from "./config-variables.ts";

/** A program, as a file configures it. */
export interface StdioServerConfig extends StdioServerParameters {
  /** The type of a program. */
  type: "stdio";
}
/** A server at a URL, as a file configures it. */
export interface HttpServerConfig extends HttpServerParameters {
  /** The type in the file. `connect()` finds out by itself which of the two transports the server has. */
  type: "http" | "sse";
}
/** One server, as a file configures it: a target for `connect()`. */
export type ServerConfig = StdioServerConfig | HttpServerConfig;

/** A server, and the path of its environment file, which is read later. */
export interface ReadServer {
  readonly config: ServerConfig;
  readonly envFile: string | undefined;
}

const TYPES: ReadonlyMap<unknown, ServerConfig["type"]> = new Map([
  ["stdio", "stdio"],
  ["http", "http"],
  ["streamable-http", "http"],
  ["streamableHttp", "http"],
  ["sse", "sse"],
]);
export const URL_FIELDS: readonly string[] = ["url", "serverUrl", "httpUrl"];
export const SERVER_FIELDS: ReadonlySet<string> = new Set([
  "type",
  "command",
  "args",
  "env",
  "envFile",
  "cwd",
  "headers",
  "disabled",
  "enabled",
  "isActive",
  ...URL_FIELDS,
]);

export function isDisabled(entry: unknown): boolean {
  return isJsonObject(entry) && (entry["disabled"] === true || entry["enabled"] === false || entry["isActive"] === false);
}

/** Reads the fields of one server and collects its problems. */
export class ServerReader {
  readonly problems: ConfigProblem[] = [];
  readonly unknown: readonly string[];
  readonly #server: string;
  readonly #entry: JsonObject;
  readonly #variables: Variables;

  constructor(server: string, entry: unknown, variables: Variables) {
    this.#server = server;
    this.#entry = isJsonObject(entry) ? entry : {};
    this.#variables = variables;
    this.unknown = Object.keys(this.#entry).filter((field) => !SERVER_FIELDS.has(field));
    if (!isJsonObject(entry)) this.#fail(undefined, "must be an object");
  }

  read(): ReadServer | undefined {
    const addresses = URL_FIELDS.filter((field) => this.#entry[field] !== undefined);
    const [address] = addresses;
    const type = this.#type(address);
    if (this.problems.length > 0) return undefined;
    if (addresses.length + Number(this.#entry["command"] !== undefined) > 1)
      this.#fail(undefined, 'has both "command" and "url", or several URLs');
    else if (address !== undefined && type !== "stdio") return this.#http(address, type);
    else if (this.#entry["command"] !== undefined) return this.#stdio();
    else this.#fail(undefined, 'needs a "command" or a "url"');
    return undefined;
  }

  #type(address: string | undefined): ServerConfig["type"] {
    const { type, command } = this.#entry;
    const found = type === undefined ? (address === undefined ? "stdio" : "http") : TYPES.get(type);
    if (found === undefined) this.#fail("type", 'must be "stdio", "http" or "sse"');
    else if (found === "stdio" && address !== undefined && command === undefined)
      this.#fail("type", `"stdio" has no "${address}", but a "command"`);
    else if (found !== "stdio" && address === undefined) this.#fail("type", `${JSON.stringify(found)} needs a "url"`);
    return found ?? "stdio";
  }

  #stdio(): ReadServer | undefined {
    const command = this.#text("command");
    const args = this.#texts("args");
    const env = this.#map("env");
    const cwd = this.#text("cwd");
    const envFile = this.#text("envFile");
    if (command === "") this.#fail("command", "must not be empty");
    if (this.problems.length > 0 || command === undefined) return undefined;
    const config: StdioServerConfig = {
      type: "stdio",
      command,
      ...(args && { args }),
      ...(env && { env }),
      ...(cwd !== undefined && { cwd }),
    };
    return { config, envFile };
  }

  #http(field: string, type: HttpServerConfig["type"]): ReadServer | undefined {
    const url = this.#text(field);
    const headers = this.#map("headers");
    if (this.problems.length > 0 || url === undefined) return undefined;
    try {
      toHttpUrl(url);
    } catch (error) {
      this.#fail(field, error instanceof Error ? error.message : String(error)); // the message quotes the scheme at most
      return undefined;
    }
    return { config: { type, url, ...(headers && { headers }) }, envFile: undefined };
  }

  #text(field: string): string | undefined {
    const value = this.#entry[field];
    return value === undefined ? undefined : this.#expanded(field, value);
  }

  #texts(field: string): readonly string[] | undefined {
    const value = this.#entry[field];
    if (value === undefined) return undefined;
    if (Array.isArray(value)) return value.map((item, index) => this.#expanded(`${field}[${index}]`, item) ?? "");
    this.#fail(field, "must be a list of strings");
    return undefined;
  }

  #map(field: string): { [name: string]: string } | undefined {
    const value = this.#entry[field];
    if (value === undefined) return undefined;
    if (isJsonObject(value))
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.#secret(`${field}.${name}`, item)]));
    this.#fail(field, "must be an object of strings");
    return undefined;
  }

  /** The value of a variable or a header. Security: an error of the runtime about a broken one would show it. */
  #secret(field: string, item: unknown): string {
    const isHeader = field.startsWith("headers.");
    const value = (isHeader ? this.#credential(field, item) : this.#expanded(field, item, true)) ?? "";
    if (isHeader && /[\r\n\0]/.test(value)) this.#fail(field, "must be one line");
    else if (value.includes("\0")) this.#fail(field, "must not contain a NUL character");
    return value;
  }

  #credential(field: string, value: unknown): string | undefined {
    if (typeof value !== "string") return this.#expanded(field, value);
    return expandCredential(value, this.#variables, (message) => this.#fail(field, message));
  }

  #expanded(field: string, value: unknown, isSecret = false): string | undefined {
    const onProblem = (message: string): void => this.#fail(field, message);
    if (typeof value === "string") return expand(value, this.#variables, { isSecret, onProblem });
    this.#fail(field, "must be a string");
    return undefined;
  }

  #fail(field: string | undefined, message: string): void {
    this.problems.push({ server: this.#server, ...(field !== undefined && { field }), message });
  }
}
