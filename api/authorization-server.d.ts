// What tenon/authorization-server exports. Made by: npm run api -- --update

export interface AuthorizationLifetimes {
    accessToken: number;
    refreshToken: number;
    session: number;
    consent: number;
    login: number;
}

export interface AuthorizationLimits {
    clients: number;
    registrationsPerHour: number;
    loginsPerMinute: number;
    documentsPerMinute: number;
}

export interface AuthorizationServer {
    readonly issuer: string;
    handle(request: IncomingMessage, response: ServerResponse): boolean;
    protect(options?: ProtectOptions): NodeEndpointAuth;
}

export interface AuthorizationServerOptions {
    issuer: string;
    resource: string | readonly string[];
    scopes: Readonly<Record<string, string>>;
    provider?: LoginProvider;
    enterprise?: EnterpriseAccess;
    allowUser?: (user: ProviderUser) => MaybePromise<boolean>;
    claims?: (user: ProviderUser) => MaybePromise<JsonObject>;
    stores?: {
        readonly keyed: KeyedStore;
    };
    secret?: Uint8Array;
    redirectHosts?: readonly string[];
    redirectSchemes?: readonly string[];
    registration?: boolean;
    lifetimes?: Partial<AuthorizationLifetimes>;
    limits?: Partial<AuthorizationLimits>;
    clientAddress?: ClientAddress<IncomingMessage>;
    fetching?: GuardedFetchOptions;
    onError?: (error: unknown) => void;
}

export interface CompanyProvider {
    readonly issuer: string;
    readonly jwksUri?: string;
    readonly tenants?: readonly string[];
    readonly resource?: string | readonly string[];
    readonly scopes?: readonly string[];
    readonly clientIds?: readonly string[];
}

export interface EnterpriseAccess {
    readonly find: (issuer: string) => MaybePromise<CompanyProvider | undefined>;
    readonly resources: readonly string[] | undefined;
    readonly clients: readonly EnterpriseClient[];
}

export interface EnterpriseAccessOptions {
    readonly idp: string | CompanyProvider | readonly (string | CompanyProvider)[] | ((issuer: string) => MaybePromise<string | CompanyProvider | undefined>);
    readonly resource?: string | readonly string[];
    readonly clients?: readonly EnterpriseClient[];
}

export interface EnterpriseClient {
    readonly id: string;
    readonly secret?: string;
    readonly jwks?: JSONWebKeySet;
    readonly jwksUri?: string;
}

export interface GitHubOptions {
    readonly clientId: string;
    readonly clientSecret: string;
    readonly scopes?: readonly string[];
}

export interface GoogleOptions {
    readonly clientId: string;
    readonly clientSecret: string;
    readonly scopes?: readonly string[];
}

export type LoginProvider = OpenIdProvider | OAuthLoginProvider;

export interface OAuthLoginProvider extends LoginProviderBase {
    readonly issuer: string;
    readonly authorizationEndpoint: string;
    readonly tokenEndpoint: string;
    readonly userEndpoint: string;
    readonly subjectMember?: string;
}

export interface OpenIdProvider extends LoginProviderBase {
    readonly issuer: string;
}

export interface ProtectOptions {
    resource?: string;
    scopes?: readonly string[];
}

export interface ProviderUser {
    readonly issuer: string;
    readonly subject: string;
    readonly claims: JsonObject;
}

export declare function createAuthorizationServer(options: AuthorizationServerOptions): Promise<AuthorizationServer>;

export declare function enterprise(options: EnterpriseAccessOptions): EnterpriseAccess;

export declare function github(options: GitHubOptions): OAuthLoginProvider;

export declare function google(options: GoogleOptions): OpenIdProvider;
