/** What came in: every request as the server read it, so that a test can see what a client sent, and what it did not. */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { HttpRequest } from "../../server/http/http-message.ts";
import type { EndpointName } from "./endpoints/endpoints.ts";

/** Secrets and tokens included: it is what a test looks at, never a log. */
export interface RecordedRequest {
  /** Undefined for a path this server does not have. */
  readonly endpoint: EndpointName | undefined;
  /** `GET`, `POST` or any other. */
  readonly method: string;
  /** As it was asked for. */
  readonly url: string;
  /** By lower-case name, those that matter to an authorization server. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of the query and of a form; several values of one name are a list. */
  readonly parameters: Readonly<Record<string, string | readonly string[]>>;
  /** A body in JSON. */
  readonly body: JsonObject | undefined;
  /** Undefined until it is answered. */
  readonly status: number | undefined;
}

/** Older ones are forgotten. */
export const MAX_RECORDED = 10_000;

const HEADERS = ["accept", "authorization", "content-type", "cookie", "dpop", "mcp-protocol-version", "origin", "user-agent"];

export function recordedHeaders(request: HttpRequest): Record<string, string> {
  return Object.fromEntries(
    HEADERS.flatMap((name) => {
      const value = request.header(name);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
