/**
 * Who may call a gateway over HTTP, by its configuration file: callers with tokens, users of an authorization server, or both; and who may use
 * which bundle.
 */
import {
  anyOf,
  bearer,
  principalOf,
  type AuthInfo,
  type Authorized,
  type AuthRequest,
  type EndpointAuth,
  type PublicDocument,
  type Refusal,
} from "tenon/auth";
import { isPromise } from "tenon/internal";
import { mayUse, type Bundle } from "./settings/bundles.ts";
import { CallerTokens } from "./settings/caller-tokens.ts";
import type { GatewaySettings } from "./settings/settings.ts";
import type { HttpSettings } from "./settings/whole-settings.ts";

type AuthSettings = NonNullable<HttpSettings["auth"]>;

export class Callers {
  readonly #auth: AuthSettings | undefined;
  readonly #tokens: CallerTokens | undefined;
  #settings: GatewaySettings;

  /** @param settings what the file says when the gateway starts: whether tokens are needed at all is not changed later */
  constructor(settings: GatewaySettings) {
    this.#settings = settings;
    this.#auth = settings.whole.http?.auth;
    this.#tokens = this.#auth?.tokens === undefined ? undefined : new CallerTokens(this.#auth.scopes ?? []);
    this.apply(settings);
  }

  apply(settings: GatewaySettings): void {
    this.#settings = settings;
    this.#tokens?.set(settings.whole.http?.auth?.tokens ?? {});
  }

  /** The option `auth` of the endpoint; undefined if all may call. */
  get door(): EndpointAuth | undefined {
    return this.#doorAt([]);
  }

  /** Whether the file has a bundle of that name now. */
  hasBundle(name: string): boolean {
    return Object.hasOwn(this.#settings.whole.bundles ?? {}, name);
  }

  /** The option `auth` of a bundle's endpoint. A token for the whole gateway opens it, too. */
  doorOf(bundle: string): EndpointAuth {
    const first = this.#auth?.audience === undefined ? [] : [[this.#auth.audience].flat()[0]!];
    const own = first.map((audience) => `${audience.replace(/\/$/, "")}/${bundle}`);
    return new BundleDoor(bundle, this.#doorAt(own), () => this.#settings.whole.bundles?.[bundle]);
  }

  #doorAt(audiences: readonly string[]): EndpointAuth | undefined {
    if (this.#auth === undefined) return undefined;
    const { tokens: _, issuer, audience, ...others } = this.#auth;
    // OAuth is asked first: it knows what it accepted by a look-up, and the other door hashes.
    const doors: EndpointAuth[] =
      issuer !== undefined && audience !== undefined ? [bearer({ ...others, issuer, audience: [...audiences, ...[audience].flat()] })] : [];
    if (this.#tokens !== undefined) doors.push(this.#tokens);
    return doors.length === 1 ? doors[0] : anyOf(...doors);
  }
}

/** Callers of one bundle. What they open and keep there, such as sessions, belongs to the bundle: their principal has its name. */
class BundleDoor implements EndpointAuth {
  readonly metadata?: PublicDocument;
  readonly #bundle: string;
  readonly #door: EndpointAuth | undefined;
  readonly #bundleNow: () => Bundle | undefined;
  readonly #known = new WeakMap<Authorized, Authorized>();

  constructor(bundle: string, door: EndpointAuth | undefined, bundleNow: () => Bundle | undefined) {
    this.#bundle = bundle;
    this.#door = door;
    this.#bundleNow = bundleNow;
    if (door?.metadata !== undefined) this.metadata = door.metadata;
  }

  authorize(request: AuthRequest): Authorized | Refusal | Promise<Authorized | Refusal> {
    if (this.#door === undefined) return this.#within(ANYONE);
    const decision = this.#door.authorize(request);
    const admit = (made: Authorized | Refusal): Authorized | Refusal => ("auth" in made ? this.#within(made) : made);
    return isPromise(decision) ? decision.then(admit) : admit(decision);
  }

  insufficientScope(scopes: readonly string[], auth: AuthInfo): Refusal {
    return this.#door?.insufficientScope(scopes, auth) ?? { status: 403, headers: [], message: "Forbidden" };
  }

  #within(authorized: Authorized): Authorized | Refusal {
    const { auth } = authorized;
    if (!mayUse(this.#bundleNow(), auth.claims))
      return { status: 403, headers: [], message: `Forbidden: the bundle "${this.#bundle}" is for other groups` };
    const known = this.#known.get(authorized);
    if (known !== undefined) return known;
    const { issuer, subject = null, clientId = null } = auth;
    const own = {
      ...authorized,
      principal: JSON.stringify([issuer, subject, clientId, this.#bundle]),
      sessionOwner: JSON.stringify([issuer, subject, subject === null ? clientId : null, this.#bundle]),
    };
    this.#known.set(authorized, own);
    return own;
  }
}

/** A caller of a gateway that asks for no token. */
const NO_ONE: AuthInfo = Object.freeze({ issuer: "tenon:anyone", scopes: [], claims: {} });
const ANYONE: Authorized = { auth: NO_ONE, principal: principalOf(NO_ONE), until: Infinity };
