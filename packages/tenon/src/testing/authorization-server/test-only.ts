/** Refuses to run in production or on a public issuer, because the server approves every request. */
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import { isLoopback } from "../../server/http/endpoint/guard.ts";

/** Reserved names that never resolve (RFC 2606, RFC 6761), for servers without a network. */
const RESERVED = /(?:^|\.)(?:test|example|invalid|localhost|example\.(?:com|net|org))$/;

/** @throws McpUsageError in production, or if other machines could reach the issuer; TypeError if the issuer is not a URL */
export function assertTestOnly(issuer: string): void {
  if (globalThis.process?.env?.["NODE_ENV"] === "production") {
    throw new McpUsageError("The authorization server is for tests and local work: it does not run where NODE_ENV is production");
  }
  if (!URL.canParse(issuer)) throw new TypeError(`The issuer ${JSON.stringify(issuer)} is not a URL`);
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
