/**
 * What an HTTP client remembers of each listed tool: the arguments to mirror in headers, and whether a call may be
 * repeated.
 *
 * On stateless revisions a tool whose annotations break the rules is removed from the list (MCP 2026-07-28, Streamable HTTP,
 * Custom Headers from Tool Parameters).
 */
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { LimitExceededError, ProtocolViolationError } from "../../jsonrpc/mcp-error.ts";
import { encodeHeaderValue } from "./headers.ts";
import type { HttpHeaders } from "./options.ts";
import { mayMirror, mirroredArguments, valueAt, type MirroredArgument } from "../../schema/mirrored-arguments.ts";

/** Most tools to remember. Calls of further tools get their headers after a first refusal. */
const MAX_TOOLS = 10_000;
/** Most characters of all mirrored headers of a call, names included. Servers and proxies accept little more. */
const MAX_MIRRORED = 8 * 1024;

export class HttpTools {
  readonly #report: (error: Error) => void;
  readonly #tools = new Map<string, { readonly mirrored: readonly MirroredArgument[]; readonly repeatable: boolean }>();

  constructor(report: (error: Error) => void) {
    this.#report = report;
  }

  /** Learns the tools on a page of the list. Returns the page without the tools that cannot be called over HTTP. */
  learn(page: JsonObject, stateless: boolean): JsonObject {
    const { tools } = page;
    if (!Array.isArray(tools)) return page; // the codec reports it
    const usable = tools.filter((tool: unknown) => !isJsonObject(tool) || this.#keep(tool, stateless));
    return usable.length === tools.length ? page : { ...page, tools: usable };
  }

  /** Remembers a tool. Returns false if it must not be listed. */
  #keep(tool: JsonObject, stateless: boolean): boolean {
    const { name, inputSchema, annotations } = tool;
    if (typeof name !== "string") return true;
    const found = stateless && mayMirror(inputSchema) ? mirroredArguments(inputSchema) : [];
    if (typeof found === "string") {
      this.#report(new ProtocolViolationError(`Tool ${JSON.stringify(name)} is left out: ${found}`));
      this.#tools.delete(name);
      return false;
    }
    const repeatable = isJsonObject(annotations) && (annotations["readOnlyHint"] === true || annotations["idempotentHint"] === true);
    if (this.#tools.size < MAX_TOOLS || this.#tools.has(name)) this.#tools.set(name, { mirrored: found, repeatable });
    return true;
  }

  /** Whether the tool declares that calling it twice has the same effect as calling it once. */
  isRepeatable(name: unknown): boolean {
    return typeof name === "string" && this.#tools.get(name)?.repeatable === true;
  }

  /**
   * The `Mcp-Param-*` headers of a call; undefined for a tool that was never listed.
   * @throws LimitExceededError `mirroredHeaders` if they are too large
   */
  headersOf(params: JsonObject | undefined): HttpHeaders | undefined {
    const name = params?.["name"];
    const mirrored = typeof name === "string" ? this.#tools.get(name)?.mirrored : undefined;
    if (mirrored === undefined || mirrored.length === 0) return undefined;
    const headers: { [name: string]: string } = {};
    let size = 0;
    for (const { header, path } of mirrored) {
      const value = valueAt(params?.["arguments"], path);
      if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") continue;
      headers[header] = encodeHeaderValue(String(value));
      size += header.length + headers[header].length;
    }
    if (size > MAX_MIRRORED) throw new LimitExceededError("mirroredHeaders", MAX_MIRRORED, size);
    return headers;
  }
}

export function listsTool({ tools }: JsonObject, name: unknown): boolean {
  return Array.isArray(tools) && tools.some((tool: unknown) => isJsonObject(tool) && tool["name"] === name);
}
