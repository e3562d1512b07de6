/**
 * Reads the text of a document, JSON or YAML, within limits on its bytes, depth, values and aliases.
 *
 * The YAML library is loaded with the first text that is not JSON.
 */
import type { NumberTable } from "../../base/number-options.ts";
import { ErrorCode, LimitExceededError, McpError } from "../../jsonrpc/mcp-error.ts";
import { parseJson } from "../../jsonrpc/parse-json.ts";
import { OpenApiDocumentError } from "./errors.ts";

/** Limits on the document. A document that exceeds one is refused with a `LimitExceededError` that names it. */
export interface OpenApiDocumentLimits {
  /** Bytes of the text in UTF-8. Default 32 MiB. */
  readonly documentBytes: number;
  /** Nesting of objects and lists. Default 256. */
  readonly documentDepth: number;
  /** Values of any kind. Default 5 000 000. */
  readonly documentNodes: number;
  /** How often aliases of YAML may repeat a value. Default 1 000. */
  readonly documentAliases: number;
  /** Other documents that are read because of references. Default 64. */
  readonly documents: number;
}

export const DOCUMENT_LIMITS: NumberTable<OpenApiDocumentLimits> = {
  documentBytes: [32 * 1024 * 1024, 1],
  documentDepth: [256, 1],
  documentNodes: [5_000_000, 1],
  documentAliases: [1_000, 1],
  documents: [64, 1],
};

/** @throws OpenApiDocumentError if it is neither JSON nor YAML; LimitExceededError */
export async function parseDocument(text: string, limits: OpenApiDocumentLimits): Promise<unknown> {
  const bytes = text.length > limits.documentBytes ? text.length : new TextEncoder().encode(text).byteLength;
  if (bytes > limits.documentBytes) throw new LimitExceededError("documentBytes", limits.documentBytes, bytes);
  const source = text.replace(/^\uFEFF/, "");
  return /^\s*\{/.test(source) ? (fromJson(source, limits) ?? fromYaml(source, limits)) : fromYaml(source, limits);
}

function fromJson(text: string, { documentDepth: depth, documentNodes: nodes }: OpenApiDocumentLimits): unknown {
  try {
    return parseJson(text, { size: Infinity, depth, nodes, keysPerObject: nodes, numberLength: 1024 });
  } catch (cause) {
    if (cause instanceof LimitExceededError) throw renamed(cause);
    if (McpError.isMcpError(cause) && cause.code === ErrorCode.ParseError) return undefined;
    throw new OpenApiDocumentError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** The limits of JSON have other names. */
function renamed({ limit, max, data }: LimitExceededError): LimitExceededError {
  const name = limit === "depth" ? "documentDepth" : limit === "nodes" ? "documentNodes" : limit;
  return new LimitExceededError(name, max, (data as { actual?: number }).actual);
}

async function fromYaml(text: string, limits: OpenApiDocumentLimits): Promise<unknown> {
  const { parseDocument: parseYaml } = await import("yaml");
  let value: unknown;
  try {
    const document = parseYaml(text, { schema: "core", merge: true, uniqueKeys: true, logLevel: "silent" });
    const [error] = document.errors;
    // The library ends so if its stack is full, which is far deeper than any limit that makes sense.
    if (error?.code === "RESOURCE_EXHAUSTION") throw new LimitExceededError("documentDepth", limits.documentDepth);
    if (error !== undefined) throw new OpenApiDocumentError(`The document is neither JSON nor YAML: ${error.message}`);
    value = document.toJS({ maxAliasCount: limits.documentAliases });
  } catch (cause) {
    if (cause instanceof OpenApiDocumentError || cause instanceof LimitExceededError) throw cause;
    if (cause instanceof ReferenceError && cause.message.includes("alias"))
      throw new LimitExceededError("documentAliases", limits.documentAliases);
    throw new OpenApiDocumentError(`The document cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
  assertBounded(value, limits);
  return value;
}

/** Walks a value with its own stack: a value that contains itself ends at the limit of depth. @throws LimitExceededError */
export function assertBounded(root: unknown, { documentDepth, documentNodes }: OpenApiDocumentLimits): void {
  const stack: unknown[] = [root];
  const depths: number[] = [1];
  for (let nodes = 1; stack.length > 0;) {
    const current = stack.pop();
    const depth = depths.pop() ?? 0;
    if (typeof current !== "object" || current === null) continue;
    if (depth > documentDepth) throw new LimitExceededError("documentDepth", documentDepth);
    for (const child of Object.values(current)) {
      if (++nodes > documentNodes) throw new LimitExceededError("documentNodes", documentNodes);
      stack.push(child);
      depths.push(depth + 1);
    }
  }
}
