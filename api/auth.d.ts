// What tenon/auth exports. Made by: npm run api -- --update

export interface Abortable {
    readonly signal?: AbortSignal | undefined;
}

export declare class AccessRefusedError extends Error {
    name: string;
}

export type AuthFetch = (url: string, init: AuthRequestInit) => Promise<AuthResponse>;

export interface AuthInfo {
    readonly issuer: string;
    readonly subject?: string | undefined;
    readonly clientId?: string | undefined;
    readonly scopes: readonly string[];
    readonly expiresAt?: number | undefined;
    readonly claims: JsonObject;
    readonly dangerouslyGetToken?: () => string;
}

export interface AuthProvider {
    authorizerFor(server: URL): Authorizer;
}

export interface AuthRequest {
    readonly method: string;
    readonly url: string;
    header(name: string): string | undefined;
}

export interface AuthStore {
    get(key: string): MaybePromise<JsonObject | undefined>;
    set(key: string, record: JsonObject, expiresAt?: number): MaybePromise<void>;
    delete(key: string): MaybePromise<void>;
    lock<T>(key: string, work: (lost: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export interface AuthorizationCodeOptions extends RegistrationOptions {
    readonly issuer?: string;
    readonly assumePkce?: boolean;
    readonly ownCallback?: boolean;
    readonly loginTimeout?: number;
}

export declare class AuthorizationError extends McpError {
    name: string;
    readonly hop: AuthorizationHop;
    readonly url: string;
    readonly problem: string;
    readonly remedy: string;
    readonly error: string | undefined;
    constructor({ hop, url, problem, remedy, error, cause }: AuthorizationErrorDetails);
}

export interface AuthorizationHeaders {
    readonly [name: string]: string;
}

export type AuthorizationHop = "challenge" | "protected resource metadata" | "authorization server metadata" | "registration" | "authorization" | "callback" | "token" | "refresh" | "identity provider" | "access" | "store" | "keys" | "introspection" | "discovery";

export declare class AuthorizationRequiredError extends AuthorizationError {
    name: string;
    get authorizationUrl(): URL;
}

export interface Authorized {
    readonly auth: AuthInfo;
    readonly principal: string;
    readonly sessionOwner?: string;
    readonly until: number;
    readonly ended?: AbortSignal;
    readonly headers?: readonly string[];
}

export interface Authorizer {
    sign(request: RequestToSign, url: URL): MaybePromise<AuthorizationHeaders>;
    settle(response: ChallengeResponse, request: RequestToSign, options?: SettleOptions): MaybePromise<boolean>;
}

export interface BearerAuth extends EndpointAuth {
    readonly metadata: PublicDocument;
}

export interface BearerOptions extends GuardedFetchOptions {
    issuer: string | readonly string[];
    audience: string | readonly string[];
    resource?: string;
    scopes?: readonly string[];
    scopesSupported?: readonly string[];
    scopeForms?: Readonly<Record<string, string>>;
    scopeHierarchy?: ScopeHierarchy;
    verify?: TokenVerifier;
    introspection?: IntrospectionOptions;
    jwksUri?: string;
    algorithms?: readonly string[];
    cacheTtl?: number;
    dpop?: boolean | DpopServerOptions;
    clockTolerance?: number;
    metadata?: JsonObject;
}

export type CallbackHost = "127.0.0.1" | "localhost" | "::1";

export interface ChallengeResponse {
    readonly status: number;
    readonly headers: {
        get(name: string): string | null;
    };
}

export type ClientAuthMethod = "none" | "client_secret_basic" | "client_secret_post" | "private_key_jwt";

export interface ClientCredentialsOptions extends OAuthOptions {
    readonly issuer: string;
    readonly client: PreregisteredClient;
}

export interface DeviceCodeOptions extends OAuthOptions, RegistrationOptions {
    readonly prompt: (prompt: DevicePrompt, signal: AbortSignal) => MaybePromise<void>;
    readonly issuer?: string;
    readonly loginTimeout?: number;
}

export interface DevicePrompt {
    readonly userCode: string;
    readonly verificationUrl: URL;
    readonly completeUrl: URL | undefined;
    readonly expiresIn: number;
}

export interface DiscoverOptions extends GuardedFetchOptions {
    readonly resourceMetadata?: string;
    readonly signal?: AbortSignal;
}

export interface Discovered {
    readonly resource: string | undefined;
    readonly scopesSupported: readonly string[] | undefined;
    readonly issuer: IssuerMetadata;
}

export interface DpopNonceOptions {
    readonly secret?: string | Uint8Array;
    readonly lifetime?: number;
}

export interface DpopOptions {
    readonly algorithm?: "ES256" | "ES384" | "ES512" | "Ed25519" | "PS256" | "RS256";
    readonly claims?: (request: ProofRequest) => JsonObject | Promise<JsonObject>;
}

export interface DpopServerOptions {
    readonly required?: boolean;
    readonly nonce?: boolean | DpopNonceOptions;
    readonly maxProofs?: number;
    readonly store?: ProofStore;
}

export interface EndpointAuth {
    authorize(request: AuthRequest): MaybePromise<Authorized | Refusal>;
    takes?(request: AuthRequest): boolean;
    knows?(request: AuthRequest): boolean;
    insufficientScope(scopes: readonly string[], auth: AuthInfo): Refusal;
    readonly metadata?: PublicDocument;
}

export interface EnterpriseOptions extends OAuthOptions {
    readonly issuer: string;
    readonly client: PreregisteredClient;
    readonly identityProvider: IdentityProvider;
}

export interface ExchangeOptions {
    readonly issuer: string;
    readonly client: PreregisteredClient;
    readonly audience?: string;
    readonly actorToken?: () => MaybePromise<string>;
    readonly protocol?: "token-exchange" | "on-behalf-of";
}

export interface GuardedFetchOptions extends UrlPolicyOptions {
    readonly fetchTimeout?: number;
    readonly maxDocumentBytes?: number;
    readonly fetch?: AuthFetch;
}

export interface IdentityProvider {
    readonly tokenEndpoint: string;
    readonly issuer?: string;
    readonly client: PreregisteredClient;
    readonly subjectToken: () => MaybePromise<string>;
    readonly subjectTokenType?: "id_token" | "refresh_token";
}

export interface IntrospectionOptions {
    readonly endpoint?: string;
    readonly clientId: string;
    readonly clientSecret?: string;
    readonly privateKey?: {
        readonly key: CryptoKey;
        readonly kid?: string;
    };
    readonly authentication?: "client_secret_basic" | "client_secret_post";
}

export interface IssuerChange {
    readonly server: URL;
    readonly from: string;
    readonly to: string;
}

export interface IssuerMetadata {
    readonly issuer: string;
    readonly authorization_endpoint?: string;
    readonly token_endpoint?: string;
    readonly registration_endpoint?: string;
    readonly device_authorization_endpoint?: string;
    readonly revocation_endpoint?: string;
    readonly introspection_endpoint?: string;
    readonly jwks_uri?: string;
    readonly scopes_supported?: string[];
    readonly grant_types_supported?: string[];
    readonly code_challenge_methods_supported?: string[];
    readonly token_endpoint_auth_methods_supported?: string[];
    readonly dpop_signing_alg_values_supported?: string[];
    readonly authorization_grant_profiles_supported?: string[];
    readonly client_id_metadata_document_supported?: boolean;
    readonly authorization_response_iss_parameter_supported?: boolean;
}

export interface LoginOptions extends Abortable {
    readonly challenge?: ChallengeResponse;
}

export interface LoginPage {
    readonly redirectUri: string;
    visit(page: URL, state: string, signal: AbortSignal): Promise<URL>;
    close(): Promise<void>;
}

export interface LoginStatus {
    readonly issuer: string;
    readonly resource: string | undefined;
    readonly clientId: string | undefined;
    readonly scope: Scope | undefined;
    readonly expiresAt: number | undefined;
    readonly renewable: boolean;
}

export declare class MemoryStore implements AuthStore {
    get(key: string): JsonObject | undefined;
    set(key: string, record: JsonObject, expiresAt?: number): void;
    delete(key: string): void;
    lock<T>(key: string, work: (lost: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export interface OAuthOptions extends GuardedFetchOptions {
    readonly store?: AuthStore;
    readonly account?: string;
    readonly scope?: string;
    readonly resource?: false | string;
    readonly scopeOnRefresh?: boolean;
    readonly dpop?: boolean | DpopOptions;
    readonly onIssuerChange?: (change: IssuerChange) => MaybePromise<boolean>;
}

export declare class OAuthProvider implements AuthProvider {
    authorizerFor(server: URL): Authorizer;
    login(server: string | URL, { signal, challenge }?: LoginOptions): Promise<LoginStatus>;
    refresh(server: string | URL, { signal }?: Abortable): Promise<boolean>;
    finish(callback: string | URL, { signal }?: Abortable): Promise<URL>;
    status(server: string | URL): Promise<LoginStatus | undefined>;
    logout(server: string | URL, { signal }?: Abortable): Promise<boolean>;
}

export type OpenPage = (url: URL, signal: AbortSignal) => void | Promise<void>;

export interface PreregisteredClient {
    readonly id: string;
    readonly secret?: string;
    readonly method?: ClientAuthMethod;
    readonly key?: SigningKey;
}

export interface ProofRequest {
    readonly method: string;
    readonly url: URL;
    readonly accessToken?: string;
    readonly body?: string | undefined;
    readonly skew?: number;
}

export interface ProofStore {
    claim(key: string, ms: number): MaybePromise<boolean>;
}

export interface PublicDocument {
    readonly paths: readonly string[];
    readonly document: JsonObject;
}

export interface Redirection {
    readonly isForIssuers?: boolean;
    begin(previous: string | undefined, signal: AbortSignal, segment?: string): Promise<LoginPage>;
}

export interface Refusal {
    readonly status: number;
    readonly headers: readonly string[];
    readonly message: string;
    readonly reason?: Error;
}

export interface RegistrationOptions {
    readonly client?: PreregisteredClient;
    readonly clientMetadataUrl?: string;
    readonly clientName?: string;
    readonly clientMetadata?: JsonObject;
}

export interface RequestToSign {
    readonly method: string;
    readonly headers: AuthorizationHeaders;
    readonly body?: string;
    readonly signal: AbortSignal;
}

export type ScopeHierarchy = Readonly<Record<string, readonly string[]>>;

export interface SettleOptions {
    readonly silent?: boolean;
}

export interface SigningKey {
    readonly key: CryptoKey;
    readonly kid?: string;
}

export interface SubjectToken {
    readonly token: string;
    readonly expiresAt?: number | undefined;
}

export interface TokenExchangeOptions extends OAuthOptions, ExchangeOptions {
    readonly subjectToken: () => MaybePromise<SubjectToken>;
}

export type TokenVerifier = (token: string, request: AuthRequest) => MaybePromise<VerifiedToken | undefined>;

export interface UrlPolicyOptions {
    readonly allowLoopback?: boolean;
    readonly allowPrivateNetwork?: readonly string[];
    readonly allowedPorts?: readonly number[];
}

export interface UserLoginOptions extends OAuthOptions, AuthorizationCodeOptions {
    readonly open?: OpenPage;
    readonly port?: number;
    readonly callbackHost?: CallbackHost;
    readonly callbackPath?: string;
    readonly callbackUrl?: string;
    readonly redirection?: Redirection;
}

export interface VerifiedToken {
    readonly issuer?: string | undefined;
    readonly audience: string | readonly string[];
    readonly subject?: string | undefined;
    readonly clientId?: string | undefined;
    readonly scopes?: readonly string[] | undefined;
    readonly expiresAt?: number | undefined;
    readonly claims?: JsonObject | undefined;
}

export interface WorkloadIdentityOptions extends OAuthOptions {
    readonly issuer: string;
    readonly assertion: string | ((tokenEndpoint: string | undefined) => MaybePromise<string>);
}

export declare function anyOf(...doors: readonly EndpointAuth[]): EndpointAuth;

export declare function bearer(options: BearerOptions): BearerAuth;

export declare function bearerToken(token: string | (() => MaybePromise<string>)): AuthProvider;

export declare function clientCredentials(options: ClientCredentialsOptions): OAuthProvider;

export declare function deviceCode(options: DeviceCodeOptions): OAuthProvider;

export declare function discover(server: string | URL, options?: DiscoverOptions): Promise<Discovered>;

export declare function enterpriseManaged(options: EnterpriseOptions): OAuthProvider;

export declare function importSigningKey(key: string | JWK, algorithm?: string, kid?: string): Promise<SigningKey>;

export declare function oauth(options?: UserLoginOptions): OAuthProvider;

export declare function principalOf({ issuer, subject, clientId }: AuthInfo): string;

export declare function tokenExchange(options: TokenExchangeOptions): OAuthProvider;

export declare function workloadIdentity(options: WorkloadIdentityOptions): OAuthProvider;
