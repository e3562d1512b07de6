/** Recorded requests: a test can check what a client sent. */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { HttpRequest } from "../../server/http/http-message.ts";
import type { EndpointName } from "./endpoints/endpoints.ts";

/** A request that the server received. Security: it contains secrets and tokens, so never log it. */
export interface RecordedRequest {
  /** The endpoint; undefined if the server has no such path. */
  readonly endpoint: EndpointName | undefined;
  /** `GET`, `POST` or any other. */
  readonly method: string;
  /** The requested URL. */
  readonly url: string;
  /** The headers that concern an authorization server, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parameters of the query or form; several values of one name are a list. */
  readonly parameters: Readonly<Record<string, string | readonly string[]>>;
  /** The body, if it is a JSON object. */
  readonly body: JsonObject | undefined;
  /** The status of the response; undefined before it. */
  readonly status: number | undefined;
}

/** The most recorded requests. Older ones are dropped. */
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
