/**
 * Requests of the revisions without a handshake that arrive at an HTTP transport of 1.x: Tenon's endpoint serves them.
 *
 * An owner of 1.x makes a transport and a server for the first request of a session, and keeps them by the session's id. Such a request
 * has no session: what was made for it ends with its response.
 */
import type { Transport } from "mcp-sdk-v1/shared/transport.js";
import type { MessageExtraInfo } from "mcp-sdk-v1/types.js";
import type { McpServer } from "tenon";
import type { HttpOptions } from "tenon/server";
import { isJsonObject, isStatefulVersion, isSupportedVersion, PROTOCOL_VERSION_KEY } from "tenon/internal/embedding";

/** Options of the endpoint: the owner has checked hosts, origins and users before, as 1.x leaves it to the owner. */
const ENDPOINT = { sessions: false, allowedHosts: "any", allowedOrigins: "any" } as const;

/** What serves the requests of one transport: they have a user, or have none. */
export class NewestHandlers<Handler> {
  readonly #made = new Map<boolean, Promise<Handler>>();
  readonly #make: (options: HttpOptions) => Handler | Promise<Handler>;

  /** @param make makes the endpoint with these options */
  constructor(make: (options: HttpOptions) => Handler | Promise<Handler>) {
    this.#make = make;
  }

  for({ authInfo }: MessageExtraInfo): Promise<Handler> {
    const hasUser = authInfo !== undefined;
    const made = this.#made.get(hasUser) ?? this.#makeFor(hasUser);
    this.#made.set(hasUser, made);
    return made;
  }

  async #makeFor(hasUser: boolean): Promise<Handler> {
    const auth = hasUser ? { auth: (await import("./owner-auth.ts")).ownerAuth } : {};
    return this.#make({ ...ENDPOINT, ...auth });
  }
}

const servers = new WeakMap<Transport, () => McpServer | undefined>();

/** Says which server serves the messages of a transport: asked for each request, because an owner may take them over. */
export function connectedTo(transport: Transport, server: () => McpServer | undefined): void {
  servers.set(transport, server);
}

export function serverOf(transport: Transport): McpServer | undefined {
  return servers.get(transport)?.();
}

/** Whether a request belongs to a revision without a handshake, by the headers that such a request must have. */
export function isNewest(method: string | undefined, header: (name: string) => string | null | undefined): boolean {
  const version = header("mcp-protocol-version");
  return method === "POST" && typeof version === "string" && isSupportedVersion(version) && !isStatefulVersion(version);
}

/** Bodies that an owner has taken for the first of a session. */
const taken = new WeakSet<object>();

/** Whether a body is a request of a revision without a handshake. The owner, who asks this, makes a transport for it. */
export function takesNewest(body: unknown): boolean {
  const params = isJsonObject(body) && typeof body["method"] === "string" ? body["params"] : undefined;
  const meta = isJsonObject(params) ? params["_meta"] : undefined;
  const version = isJsonObject(meta) ? meta[PROTOCOL_VERSION_KEY] : undefined;
  if (typeof version !== "string" || !isSupportedVersion(version) || isStatefulVersion(version)) return false;
  taken.add(body as object); // it is an object, because it has a method
  return true;
}

/** Whether a transport was made for this body alone. */
export function wasTaken(body: unknown): boolean {
  return typeof body === "object" && body !== null && taken.has(body);
}
