/** Why this server must not run somewhere: it approves whoever comes, so nothing real may stand behind it. */
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import { isLoopback } from "../../server/http/endpoint/guard.ts";

/** Names that never resolve to anybody (RFC 2606, RFC 6761), for servers that are reached without a network. */
const RESERVED = /(?:^|\.)(?:test|example|invalid|localhost|example\.(?:com|net|org))$/;

/** @throws McpUsageError in production, TypeError, McpUsageError for an issuer that others could reach */
export function assertTestOnly(issuer: string): void {
  if (globalThis.process?.env?.["NODE_ENV"] === "production") {
    throw new McpUsageError("The authorization server is for tests and local work: it does not run where NODE_ENV is production");
  }
  if (!URL.canParse(issuer)) throw new TypeError(`The issuer ${JSON.stringify(issuer)} is no URL`);
  const { protocol, hostname, pathname, search, hash, origin } = new URL(issuer);
  if (!/^https?:$/.test(protocol) || search !== "" || hash !== "" || issuer !== `${origin}${pathname.replace(/\/$/, "")}`) {
    throw new TypeError(`The issuer ${JSON.stringify(issuer)} must be an origin and a path, without a slash at the end`);
  }
  if (!isLoopback(hostname) && !(protocol === "https:" && RESERVED.test(hostname))) {
    throw new McpUsageError(
      `The authorization server is for tests and local work: ${hostname} is neither this machine nor a reserved name`,
    );
  }
}
