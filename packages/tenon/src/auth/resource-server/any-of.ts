/** `anyOf()`: one endpoint with several doors. Each request is judged by the door that knows its credentials, and by no other. */
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import type { AuthInfo } from "./auth-info.ts";
import type { AuthRequest, Authorized, EndpointAuth, PublicDocument, Refusal } from "./endpoint-auth.ts";

/**
 * Joins several ways into one endpoint: two authorization servers, or OAuth and API keys. A door says by `takes()` whether credentials are of its
 * kind. Requests without credentials, and with credentials of no door, get the refusal of the first door that has metadata, so that a client can log in.
 *
 * Security: a door that refuses is not followed by another. Handlers see by `ctx.auth.issuer` through which one a caller came.
 *
 * @throws TypeError if there is no door, or if two doors publish metadata of different resources
 * @example
 * ```ts
 * import { anyOf, bearer } from "tenon/auth";
 * import { apiKeys } from "tenon/auth/keys";
 * import { memoryStores } from "tenon/stores/memory";
 *
 * const oauth = bearer({ issuer: "https://login.example.com", audience: "https://files.example.com/mcp" });
 * const keys = apiKeys({ store: memoryStores().keyed });
 * const auth = anyOf(oauth, keys);
 * console.log(auth.metadata?.document["resource"]); // https://files.example.com/mcp
 * ```
 */
export function anyOf(...doors: readonly EndpointAuth[]): EndpointAuth {
  for (const door of doors)
    if (typeof door?.authorize !== "function")
      throw new TypeError("anyOf() takes what bearer(), apiKeys() and the providers return, not other values");
  const first = doors.find(({ metadata }) => metadata !== undefined) ?? doors[0];
  if (first === undefined) throw new TypeError("anyOf() needs at least one door: anyOf(bearer(…), apiKeys(…))");
  return new AnyOf(doors, first);
}

class AnyOf implements EndpointAuth {
  readonly metadata?: PublicDocument;
  readonly #doors: readonly EndpointAuth[];
  readonly #first: EndpointAuth;
  /** Through which door an identity came. */
  readonly #doorOf = new WeakMap<AuthInfo, EndpointAuth>();

  constructor(doors: readonly EndpointAuth[], first: EndpointAuth) {
    this.#doors = doors;
    this.#first = first;
    const published = doors.flatMap(({ metadata }) => metadata ?? []);
    if (published.length > 0) this.metadata = joined(published);
  }

  takes(request: AuthRequest): boolean {
    return this.#doors.some((door) => door.takes?.(request) === true);
  }

  authorize(request: AuthRequest): MaybePromise<Authorized | Refusal> {
    const door = this.#doors.find((each) => each.takes?.(request) === true) ?? this.#first;
    return andThen(door.authorize(request), (decision) => {
      if ("auth" in decision) this.#doorOf.set(decision.auth, door);
      return decision;
    });
  }

  insufficientScope(scopes: readonly string[], auth: AuthInfo): Refusal {
    return (this.#doorOf.get(auth) ?? this.#first).insufficientScope(scopes, auth);
  }
}

/** One document for all: what they publish differs in the authorization servers and the scopes only. @throws TypeError */
function joined([first, ...others]: readonly PublicDocument[]): PublicDocument {
  const { paths, document } = first!; // there is one
  const resources = [document, ...others.map((other) => other.document)].map(({ resource }) => resource);
  const other = resources.find((resource) => resource !== resources[0]);
  if (other !== undefined)
    throw new TypeError(
      `The doors of anyOf() are of one server, and two name it differently: ${JSON.stringify(resources[0])} and ${JSON.stringify(other)}`,
    );
  const all = (member: string): unknown[] => [
    ...new Set([document, ...others.map((each) => each.document)].flatMap((each) => (each[member] as unknown[] | undefined) ?? [])),
  ];
  const scopes = all("scopes_supported");
  return {
    paths,
    document: {
      ...document,
      authorization_servers: all("authorization_servers"),
      ...(scopes.length > 0 && { scopes_supported: scopes }),
    },
  };
}
