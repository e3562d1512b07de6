/**
 * The tools that the page of an endpoint shows: those that a client without a token can list.
 *
 * The page asks the endpoint itself, with a request that passes all its checks, its middleware and its rules of visibility. So it shows
 * nothing that a stranger could not have asked for.
 */
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import { CLIENT_CAPABILITIES_KEY, CLIENT_INFO_KEY, PROTOCOL_VERSION_KEY } from "../../../protocol/meta-keys.ts";
import { STATELESS_VERSIONS } from "../../../protocol/versions.ts";
import { isJsonObject, type JsonObject } from "../../../jsonrpc/message.ts";
import type { HttpRequest, HttpResponse } from "../http-message.ts";

export interface PublicTool {
  readonly name: string;
  readonly description: string;
}

const METHOD = "tools/list";
const [VERSION] = STATELESS_VERSIONS;

/** Asks for the tools; none if the endpoint does not say. Never rejects. */
export async function publicTools(
  serve: (request: HttpRequest) => MaybePromise<HttpResponse>,
  page: HttpRequest,
): Promise<readonly PublicTool[]> {
  const { status, body } = await serve(new ListRequest(page));
  if (status !== 200 || body === undefined) return [];
  if (typeof body !== "string" && !Array.isArray(body)) return []; // a stream, which was not asked for
  const text = typeof body === "string" ? body : body.map((part) => (typeof part === "string" ? part : part.text)).join("");
  return toolsIn(JSON.parse(text));
}

function toolsIn(response: unknown): readonly PublicTool[] {
  const result = isJsonObject(response) && isJsonObject(response["result"]) ? response["result"] : {};
  const tools: readonly unknown[] = Array.isArray(result["tools"]) ? result["tools"] : [];
  return tools.filter(isJsonObject).map(({ name, title, description }) => ({
    name: String(title ?? name),
    description: typeof description === "string" ? description : "",
  }));
}

/** The request of a client of the newest revision that sends no credentials. */
class ListRequest implements HttpRequest {
  readonly method = "POST";
  readonly url: string;
  readonly address: string | undefined;
  readonly #headers: Readonly<Record<string, string | undefined>>;

  constructor(page: HttpRequest) {
    this.url = page.url;
    this.address = page.address;
    this.#headers = {
      host: page.header("host"),
      "content-type": "application/json",
      accept: "application/json",
      "mcp-protocol-version": VERSION,
      "mcp-method": METHOD,
    };
  }

  header(name: string): string | undefined {
    return this.#headers[name];
  }

  text(): string {
    const _meta: JsonObject = {
      [PROTOCOL_VERSION_KEY]: VERSION,
      [CLIENT_INFO_KEY]: { name: "welcome-page", version: "1.0.0" },
      [CLIENT_CAPABILITIES_KEY]: {},
    };
    return JSON.stringify({ jsonrpc: "2.0", id: 1, method: METHOD, params: { _meta } });
  }
}
