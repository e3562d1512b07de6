/**
 * Which scopes a request needs: those of its method, and those of the tool, prompt or resource it names.
 *
 * Asked once before anything of a request runs, and once more where it is answered. Params are not checked the first time:
 * what names nothing needs nothing, and is refused for its own fault later.
 */
import type { AuthInfo } from "../../../auth/resource-server/auth-info.ts";
import type { Acceptor } from "../../../dispatch/acceptor.ts";
import { MalformedMessage, type Incoming } from "../../../jsonrpc/incoming.ts";
import { isBatch } from "../../../jsonrpc/message.ts";
import { isJsonObject, isRequest, type JsonObject } from "../../../jsonrpc/message.ts";
import type { Features } from "../../features.ts";
import type { McpServer } from "../../mcp-server.ts";
import { findResource } from "../../resources.ts";

type Scopes = readonly string[];
type Needs = (features: Features, params: JsonObject) => Scopes | undefined;

const NONE: Scopes = [];
const NO_PARAMS: JsonObject = {};

// Names are looked up as they are: under what is no string nothing is registered.

const resource: Needs = (features, { uri }) =>
  typeof uri === "string" ? (features.templates.get(uri) ?? findResource(features, uri)?.definition)?.options.scopes : undefined;

/** What can be seen of something in suggestions takes what it takes to see it. */
const completion: Needs = (features, { ref }) => {
  if (!isJsonObject(ref)) return undefined;
  return ref["type"] === "ref/prompt" ? features.prompts.get(ref["name"] as string)?.options.scopes : resource(features, ref);
};

const listen: Needs = (features, { notifications }) => {
  const uris: unknown = isJsonObject(notifications) ? notifications["resourceSubscriptions"] : undefined;
  return Array.isArray(uris) ? uris.flatMap((uri: unknown) => resource(features, { uri }) ?? NONE) : undefined;
};

const NEEDS: ReadonlyMap<string, Needs> = new Map<string, Needs>([
  ["tools/call", ({ tools }, { name }) => tools.get(name as string)?.options.scopes],
  ["prompts/get", ({ prompts }, { name }) => prompts.get(name as string)?.options.scopes],
  ["resources/read", resource],
  ["resources/subscribe", resource],
  ["completion/complete", completion],
  ["subscriptions/listen", listen],
]);

/** The scopes one request needs. */
export function scopesOf(server: Acceptor, method: string, params: JsonObject = NO_PARAMS): Scopes {
  const { features } = server as Acceptor & Partial<Pick<McpServer, "features">>; // other acceptors have none
  const own = features && NEEDS.get(method)?.(features, params);
  const general = features?.scopes && Object.hasOwn(features.scopes, method) ? features.scopes[method] : undefined;
  if (own === undefined && general === undefined) return NONE;
  return [...(general ?? NONE), ...(own ?? NONE)];
}

/**
 * All scopes that the requests of one POST need, where whoever asks has not all of them. A batch is let in as a whole or
 * not at all: what ran before one of its requests was refused would run again when the client comes back.
 */
export function lackingScopes(server: Acceptor, incoming: Incoming, auth: AuthInfo | undefined): Scopes | undefined {
  const needed = isBatch(incoming) ? incoming.flatMap((one) => neededBy(server, one)) : neededBy(server, incoming);
  return needed.length === 0 || covers(auth, needed) ? undefined : [...new Set(needed)];
}

function neededBy(server: Acceptor, message: Exclude<Incoming, readonly unknown[]>): Scopes {
  if (message instanceof MalformedMessage || !isRequest(message)) return NONE;
  return scopesOf(server, message.method, message.params);
}

export function covers(auth: AuthInfo | undefined, scopes: Scopes): boolean {
  return auth !== undefined && scopes.every((scope) => auth.scopes.includes(scope));
}
