// What tenon/testing exports. Made by: npm run api -- --update

export interface AccessTokenOptions {
    clientId?: string;
    subject?: string;
    scopes?: readonly string[];
    audience?: string | readonly string[];
    key?: string;
    lifetime?: number;
    claims?: JsonObject;
}

export interface AskedQuestion {
    readonly name: string | undefined;
    readonly method: "elicitation/create" | "sampling/createMessage" | "roots/list";
    readonly params: JsonObject;
}

export type AuthStoreCheck = StoreCheck<[store: AuthStore]>;

export interface AuthorizationServerSettings {
    subject: string;
    consent: "approve" | "deny" | "page";
    scopes: readonly string[] | undefined;
    resources: readonly string[] | undefined;
    defaultAudience: string | undefined;
    clientAuthentication: readonly ClientAuthenticationMethod[];
    grantTypes: readonly string[];
    clientDocuments: boolean;
    accessTokens: "jwt" | "opaque" | "jwt-for-resource";
    accessTokenLifetime: number;
    refreshTokens: "rotate" | "keep" | "never";
    refreshTokenLifetime: number;
    codeLifetime: number;
    deviceCodeLifetime: number;
    devicePollInterval: number;
    dpop: "optional" | "required";
    dpopNonces: boolean;
    dpopNonceLifetime: number;
    identityProviders: readonly TrustedIssuer[];
    workloadIssuers: readonly TrustedIssuer[];
    idJagClientId: (clientId: string, audience: string) => string;
    issuerSlash: boolean;
    resourceParameter: "accept" | "ignore" | "refuse";
    shortScopes: boolean;
    alterAccessToken: ((claims: JsonObject) => JsonObject) | undefined;
    tokenFormat: "json" | "form";
    registrationSecret: boolean;
    refuse: ((request: RecordedRequest) => {
        readonly code: OAuthErrorCode;
        readonly description: string;
    } | undefined) | undefined;
    before: ((request: RecordedRequest) => MaybePromise<number | void>) | undefined;
    alterResponse: ((response: JsonObject, request: RecordedRequest) => JsonObject | undefined) | undefined;
    alterRedirect: ((parameters: URLSearchParams, request: RecordedRequest) => void) | undefined;
}

export type BusCheck = StoreCheck<[here: Bus, there: Bus]>;

export type ClientAuthenticationMethod = "none" | "client_secret_basic" | "client_secret_post" | "private_key_jwt";

export interface ClientMetadata {
    client_name?: string;
    redirect_uris?: readonly string[];
    grant_types?: readonly string[];
    response_types?: readonly string[];
    token_endpoint_auth_method?: ClientAuthenticationMethod;
    application_type?: "native" | "web";
    scope?: string;
    jwks?: JSONWebKeySet;
    dpop_bound_access_tokens?: boolean;
}

export type EndpointName = "metadata" | "jwks" | "register" | "authorize" | "token" | "introspect" | "revoke" | "device_authorization" | "device";

export type EvalAnswer = string | RegExp | ((answer: string) => MaybePromise<boolean>);

export type EvalArguments<Args = JsonObject> = StandardSchema | Partial<Args> | ((args: Args) => MaybePromise<boolean>);

export type EvalExpectation<Tools> = EvalToolName<Tools> | {
    [Name in EvalToolName<Tools>]: ExpectedCall<Name, ArgumentsOf<Tools, Name>>;
}[EvalToolName<Tools>];

export interface EvalPrice {
    readonly input: number;
    readonly output: number;
}

export interface EvalTask<Tools = NoTools> {
    readonly name: string;
    readonly prompt: string;
    readonly expect?: EvalExpectation<Tools> | readonly EvalExpectation<Tools>[];
    readonly forbid?: readonly EvalToolName<Tools>[];
    readonly answer?: EvalAnswer | readonly EvalAnswer[];
    readonly pass?: number;
}

export type EvalToolName<Tools> = [keyof Tools] extends [never] ? string : keyof Tools & string;

export interface EvalsOptions<Server = unknown> {
    readonly server?: Server & (Servable | string);
    readonly config?: string;
    readonly model?: string;
    readonly models?: Readonly<Record<string, () => MaybePromise<ModelProvider<object>>>>;
    readonly system?: string;
    readonly tasks: readonly EvalTask<ToolsOf<Server>>[];
    readonly runs?: number;
    readonly pass?: number;
    readonly allow?: "all" | readonly string[];
    readonly results?: Readonly<Record<string, string | ((args: JsonObject) => MaybePromise<string>)>>;
    readonly prices?: Readonly<Record<string, EvalPrice>>;
    readonly maxTurns?: number;
    readonly timeout?: number;
}

export type EventLogCheck = StoreCheck<[log: EventLog]>;

export interface ExpectedCall<Name extends string = string, Args = JsonObject> {
    readonly tool: Name;
    readonly arguments?: EvalArguments<Args>;
}

export interface GivenClient extends ClientMetadata {
    client_id: string;
    client_secret?: string;
}

export type KeyedStoreCheck = StoreCheck<[store: KeyedStore]>;

export type ProviderProfile = "atlassian" | "auth0" | "betterAuth" | "clerk" | "cognito" | "entra" | "github" | "google" | "keycloak" | "okta" | "salesforce" | "slack" | "supabase" | "workos";

export interface RecordedRequest {
    readonly endpoint: EndpointName | undefined;
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly parameters: Readonly<Record<string, string | readonly string[]>>;
    readonly body: JsonObject | undefined;
    readonly status: number | undefined;
}

export declare class Recorder implements Transport {
    readonly kind: string;
    readonly lines: string[];
    constructor(inner: Transport, { here, there }?: RecorderNames);
    get text(): string;
    send(message: Outgoing, options?: SendOptions): MaybePromise<void>;
    receive(): MaybePromise<Incoming>;
    close(reason?: unknown): Promise<void>;
}

export interface RecorderNames {
    readonly here?: string;
    readonly there?: string;
}

export interface RunningAuthorizationServer extends TestAuthorizationServer, AsyncDisposable {
    close(): Promise<void>;
}

export type ScriptedElicit = ElicitResult["action"] | ElicitResult | ElicitHandler;

export type ScriptedSample = string | CreateMessageResult | CreateMessageResultWithTools | SampleHandler;

export interface StartAuthorizationServerOptions extends TestAuthorizationServerOptions {
    port?: number;
    host?: "127.0.0.1" | "localhost" | "::1";
    path?: string;
}

export type StateStoreCheck = StoreCheck<[store: StateStore]>;

export type TaskStoreCheck = StoreCheck<[store: TaskStore]>;

export declare class TestAuthorizationServer {
    readonly issuer: string;
    readonly settings: AuthorizationServerSettings;
    readonly requests: RecordedRequest[];
    constructor(issuer: string, options?: TestAuthorizationServerOptions);
    rotateKeys({ withdraw }?: {
        withdraw?: boolean;
    }): Promise<void>;
    jwks(): Promise<JSONWebKeySet>;
    count(grantType: string): TokenCount;
    issueAccessToken(token?: AccessTokenOptions): Promise<string>;
    sign(typ: string, claims: JsonObject): Promise<string>;
    decideDevice(userCode: string, decision: "approve" | "deny"): void;
    readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
    handle(request: HttpRequest): Promise<HttpResponse>;
}

export interface TestAuthorizationServerOptions extends Partial<AuthorizationServerSettings> {
    clock?: () => number;
    clients?: readonly GivenClient[];
    documents?: GuardedFetchOptions;
    profile?: ProviderProfile;
}

export interface TestClient extends AsyncDisposable {
    readonly client: Client;
    readonly questions: readonly AskedQuestion[];
    readonly errors: readonly Error[];
    readonly wire: Pick<Recorder, "lines" | "text">;
    close(): Promise<void>;
}

export interface TestClientOptions extends Omit<ConnectOptions, "onElicit" | "onSample"> {
    elicit?: ElicitHandler | {
        readonly [question: string]: ScriptedElicit;
    };
    sample?: SampleHandler | {
        readonly [question: string]: ScriptedSample;
    };
}

export interface TokenCount {
    readonly granted: number;
    readonly refused: number;
}

export interface TrustedIssuer {
    issuer: string;
    jwks: JSONWebKeySet | (() => MaybePromise<JSONWebKeySet>);
}

export declare class VirtualClock implements Clock {
    now(): number;
    wallNow(): number;
    get pending(): number;
    setTimer(ms: number, callback: () => void): Timer;
    clearTimer(timer: Timer): void;
    advance(ms: number): Promise<void>;
    stall(ms: number): void;
}

export declare const authStoreChecks: readonly AuthStoreCheck[];

export declare const busChecks: readonly BusCheck[];

export declare function createTestAuthorizationServer(issuer: string, options?: TestAuthorizationServerOptions): Promise<TestAuthorizationServer>;

export declare function defineEvals<Server = unknown>(evals: EvalsOptions<Server>): EvalsOptions<Server>;

export declare const eventLogChecks: readonly EventLogCheck[];

export declare const keyedStoreChecks: readonly KeyedStoreCheck[];

export declare function startAuthorizationServer(options?: StartAuthorizationServerOptions): Promise<RunningAuthorizationServer>;

export declare const stateStoreChecks: readonly StateStoreCheck[];

export declare const taskStoreChecks: readonly TaskStoreCheck[];

export declare function testClient(given: Servable, options?: TestClientOptions): Promise<TestClient>;
