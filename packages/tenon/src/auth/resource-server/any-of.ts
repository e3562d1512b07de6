/** `anyOf()`: one endpoint with several doors. Each request is judged by the door that knows its credentials, and by no other. */
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import type { AuthInfo } from "./auth-info.ts";
import type { AuthRequest, Authorized, EndpointAuth, PublicDocument, Refusal } from "./endpoint-auth.ts";
import { SharedRequest } from "./shared-request.ts";

/**
 * Joins several ways into one endpoint: two authorization servers, or OAuth and API keys. A door says by `takes()` whether credentials are of its
 * kind. Credentials of no door get the refusal of the first door that has metadata, so that a client can log in. A request without credentials gets the
 * challenges of all doors. A request costs no more than behind its door alone: its credentials are read once.
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
    const shared = sharedOf(request);
    return this.#doors.some((door) => door.takes?.(shared) === true);
  }

  knows(request: AuthRequest): boolean {
    return this.#doorThatKnows(sharedOf(request)) !== undefined;
  }

  authorize(request: AuthRequest): MaybePromise<Authorized | Refusal> {
    const shared = sharedOf(request);
    const door = this.#doorThatKnows(shared) ?? this.#doors.find((each) => each.takes?.(shared) === true);
    if (door === undefined && shared.presented === "none") return this.#offered(shared);
    const judge = door ?? this.#first;
    return andThen(judge.authorize(shared), (decision) => {
      if ("auth" in decision) this.#doorOf.set(decision.auth, judge);
      return decision;
    });
  }

  /** A door that cannot tell ends the search, because it may come before the one that knows. */
  #doorThatKnows(request: SharedRequest): EndpointAuth | undefined {
    for (const door of this.#doors) {
      if (door.knows === undefined) return undefined;
      if (door.knows(request)) return door;
    }
    return undefined;
  }

  /** The refusal of a request without credentials: what the client can do at any of the doors. */
  #offered(request: SharedRequest): MaybePromise<Authorized | Refusal> {
    return andThen(this.#first.authorize(request), (decision) => {
      if ("auth" in decision || decision.status !== 401) return decision;
      const others = this.#doors.filter((door) => door !== this.#first && door.takes !== undefined);
      return others.reduce<MaybePromise<Refusal>>(
        (refusal, door) => andThen(refusal, (joinedSoFar) => andThen(door.authorize(request), (other) => withOffer(joinedSoFar, other))),
        decision,
      );
    });
  }

  insufficientScope(scopes: readonly string[], auth: AuthInfo): Refusal {
    return (this.#doorOf.get(auth) ?? this.#first).insufficientScope(scopes, auth);
  }
}

function sharedOf(request: AuthRequest): SharedRequest {
  return request instanceof SharedRequest ? request : new SharedRequest(request);
}

/** Adds what another door offers to a client without credentials: schemes that are not named yet, and logins with other scopes. */
function withOffer(refusal: Refusal, other: Authorized | Refusal): Refusal {
  if ("auth" in other || other.status !== 401) return refusal;
  const offered = challengesIn(refusal.headers);
  const schemes = new Set(offered.map(schemeOf));
  const more = challengesIn(other.headers).filter(
    (each) => !offered.includes(each) && (!schemes.has(schemeOf(each)) || each.includes("resource_metadata=")),
  );
  const [also] = other.message.split(/^Unauthorized: /).slice(-1);
  return {
    ...refusal,
    headers: [...refusal.headers, ...more.flatMap((each) => [CHALLENGE, each])],
    message: refusal.message.includes(also!) ? refusal.message : `${refusal.message}, or ${also}`, // split() returns a part
  };
}

const CHALLENGE = "WWW-Authenticate";

function challengesIn(headers: readonly string[]): string[] {
  return headers.filter((_value, at) => at % 2 === 1 && headers[at - 1]!.toLowerCase() === CHALLENGE.toLowerCase()); // names and values in turn
}

function schemeOf(challenge: string): string {
  return challenge.split(" ", 1)[0]!.toLowerCase(); // split() returns a part
}

const DPOP_REQUIRED = "dpop_bound_access_tokens_required";

/** One document for all: what they publish differs in the authorization servers and the scopes only. @throws TypeError */
function joined([first, ...others]: readonly PublicDocument[]): PublicDocument {
  // Whether tokens must be bound is for each door to say, in its challenge.
  const { paths, document: whole } = first!; // there is one
  const { [DPOP_REQUIRED]: isRequired, ...document } = whole;
  const isEverywhere = isRequired === true && others.every((other) => other.document[DPOP_REQUIRED] === true);
  const resources = [whole, ...others.map((other) => other.document)].map(({ resource }) => resource);
  const other = resources.find((resource) => resource !== resources[0]);
  if (other !== undefined)
    throw new TypeError(
      `The doors of anyOf() are of one server, and two name it differently: ${JSON.stringify(resources[0])} and ${JSON.stringify(other)}`,
    );
  const all = (member: string): unknown[] => [
    ...new Set([whole, ...others.map((each) => each.document)].flatMap((each) => (each[member] as unknown[] | undefined) ?? [])),
  ];
  const scopes = all("scopes_supported");
  const algorithms = all("dpop_signing_alg_values_supported");
  return {
    paths,
    document: {
      ...document,
      authorization_servers: all("authorization_servers"),
      ...(scopes.length > 0 && { scopes_supported: scopes }),
      ...(isEverywhere && { [DPOP_REQUIRED]: true }),
      ...(algorithms.length > 0 && { dpop_signing_alg_values_supported: algorithms }),
    },
  };
}
