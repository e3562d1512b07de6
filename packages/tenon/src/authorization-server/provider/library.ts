/** The part of `oidc-provider` that this folder uses. The package has no types of its own. */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

/** A client as the library keeps it. */
export interface LibraryClient {
  readonly clientId: string;
  readonly clientName?: string;
  readonly redirectUris: readonly string[];
  readonly clientAuthMethod: string;
  grantTypeAllowed(type: string): boolean;
  metadata(): Record<string, unknown>;
}
export interface LibraryGrant {
  addOIDCScope(scope: string): void;
  addResourceScope(resource: string, scope: string): void;
  getResourceScope(resource: string): string;
  save(ttl?: number): Promise<string>;
}
export interface Interaction {
  readonly uid: string;
  readonly returnTo: string;
  readonly prompt: { readonly name: string };
  readonly params: Readonly<Record<string, unknown>>;
  readonly session?: { readonly accountId: string };
  result?: object;
  persist(): Promise<string>;
}
/** An access token that is being made. */
export interface LibraryToken {
  resourceServer: unknown;
  /** Seconds that it is valid. */
  readonly expiration: number;
  /** Returns the token as clients get it. */
  save(): Promise<string>;
}
export interface HookContext {
  body: unknown;
  type: string;
  readonly status: number;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly oidc: {
    readonly route: string;
    readonly client: LibraryClient;
    readonly account?: { readonly accountId: string };
    readonly params: Readonly<Record<string, unknown>>;
    readonly result?: { readonly consent?: { readonly grantId: string } };
  };
}
export interface Provider {
  /** Whether the host and the scheme of a request come from its headers. */
  proxy: boolean;
  readonly Client: { find(id: string): Promise<LibraryClient | undefined> };
  readonly Grant: { new (of: { accountId: string; clientId: string }): LibraryGrant; find(id: string): Promise<LibraryGrant | undefined> };
  readonly AccessToken: {
    new (of: { accountId: string; client: LibraryClient; gty: string; scope: string | undefined }): LibraryToken;
  };
  readonly ResourceServer: { new (identifier: string, description: object): unknown };
  readonly Interaction: { find(uid: string): Promise<Interaction | undefined> };
  /** Adds a middleware around all routes. */
  use(middleware: (context: HookContext, next: () => Promise<void>) => Promise<void>): unknown;
  /** Adds a grant. `repeated` are parameters that may be sent several times. */
  registerGrantType(
    name: string,
    handler: (context: HookContext) => Promise<void>,
    parameters: readonly string[],
    repeated: readonly string[],
  ): void;
  callback(): RequestListener;
  interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
  on(event: string, listener: (context: unknown, error: Error) => void): this;
}
export interface Library {
  readonly Provider: {
    new (issuer: string, configuration: object): Provider;
    /** The request that is being served; undefined outside of one. */
    readonly ctx: HookContext | undefined;
  };
  readonly errors: {
    readonly [
      name in "InvalidClientAuth" | "InvalidClientMetadata" | "InvalidGrant" | "InvalidRedirectUri" | "InvalidRequest" | "InvalidTarget"
    ]: new (description?: string) => Error;
  } & {
    /** An error with any code, status 400. */
    readonly CustomOIDCProviderError: new (code: string, description: string) => Error;
  };
}
