// What tenon/client exports. Made by: npm run api -- --update

export { ConnectionClosedError } from "tenon";
export { ConnectionLostError } from "tenon";
export { Deviation } from "tenon";
export { DeviationKind } from "tenon";
export { ErrorCode } from "tenon";
export { ErrorData } from "tenon";
export { LimitExceededError } from "tenon";
export { McpError } from "tenon";
export { McpUsageError } from "tenon";
export { MissingClientCapabilityError } from "tenon";
export { ProtocolViolationError } from "tenon";
export { RequestTimeoutError } from "tenon";
export { ResourceNotFoundError } from "tenon";
export { SessionSource } from "tenon";
export { StatelessModeNotSupported } from "tenon";
export { UnsupportedVersionError } from "tenon";
export { UrlElicitationRequiredError } from "tenon";
export { displayName } from "tenon";

export { NoTools } from "tenon/server";
export { ToolSignature } from "tenon/server";
export { ToolsOf } from "tenon/server";

export interface AnswerContext extends AskedRequest<ClientSession> {
}

export interface CallOptions extends RequestOptions {
    meta?: RequestMeta;
}

export interface CardDiscoveryOptions {
    allow?: (card: DiscoveredCard) => boolean;
}

export declare class ChangeStream implements AsyncIterableIterator<ServerChange, undefined> {
    next(): Promise<IteratorResult<ServerChange, undefined>>;
    close(): Promise<void>;
    return(): Promise<IteratorResult<ServerChange, undefined>>;
    [Symbol.asyncIterator](): this;
    [Symbol.asyncDispose](): Promise<void>;
}

export declare class Client<Tools = NoTools> extends ClientSession {
    get call(): ToolCalls<Tools, ToolCallOptions>;
    get session(): ClientSession;
    tools(options?: CallOptions): AsyncGenerator<Tool, void, undefined>;
    resources(options?: CallOptions): AsyncGenerator<Resource, void, undefined>;
    resourceTemplates(options?: CallOptions): AsyncGenerator<ResourceTemplate, void, undefined>;
    prompts(options?: CallOptions): AsyncGenerator<Prompt, void, undefined>;
    task(taskId: string): RemoteTask;
    listen(filter: ListenFilter, options?: ListenOptions): Listening;
}

export interface ClientLimits extends ConnectionLimits {
    maxRounds: number;
    maxDepth: number;
    maxListSize: number;
}

export declare class ClientSession extends ProtocolCalls implements AsyncDisposable {
    readonly closed: Promise<void>;
    constructor(source: SessionSource, options?: SessionOptions<ClientSession>);
    connect({ signal }?: {
        signal?: AbortSignal;
    }): Promise<this>;
    initialize(options?: OpenOptions): Promise<InitializeResult>;
    discover(options?: OpenOptions): Promise<DiscoverResult>;
    get initializeResult(): InitializeResult | undefined;
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
    get protocolVersion(): string;
    get serverCapabilities(): ServerCapabilities;
    get serverInfo(): Implementation | undefined;
    get instructions(): string | undefined;
    request<M extends RequestMethod>(method: M, params?: ParamsOf<M>, options?: CallOptions): Promise<ResultOf<M>>;
    request<const Result extends AnySchema>(method: string, params: JsonObject | undefined, options: ResultOptions<Result> & WholeSchemas<{
        result: Result;
    }>): Promise<InferOutput<Result>>;
    request(method: string, params?: JsonObject, options?: CallOptions): Promise<JsonObject>;
    onNotification(method: string, handler: NotificationHandler): () => void;
    onNotification<const Params extends AnySchema | undefined = undefined>(method: string, options: NotificationOptions<Params> & WholeSchemas<{
        params: Params;
    }>, handler: NotificationHandler<Params>): () => void;
    use(middleware: Middleware<OutgoingRequest>): this;
    use<M extends RequestMethod>(method: M, middleware: MethodMiddleware<M, OutgoingRequest>): this;
    use<const M extends string, Layer extends Middleware<OutgoingRequest>>(method: M, middleware: Layer & FittingMiddleware<M, Layer>): this;
    notify(method: string, params?: JsonObject): Promise<void>;
    callTool<Data = unknown>(name: string, args?: JsonObject, options?: ToolCallOptions): Promise<ToolResult<Data>>;
    listTools(params?: PaginatedRequestParams, options?: CallOptions): Promise<ListToolsResult>;
    setLoggingLevel(level: LoggingLevel, options?: CallOptions): Promise<void>;
}

export interface ClientSessionOptions extends SessionOptions<ClientSession> {
}

export interface ConnectOptions extends ClientSessionOptions {
    revision?: ProtocolVersion | "stateful";
    probeTimeout?: number;
    signal?: AbortSignal;
    auth?: AuthProvider;
    raiseExceptions?: boolean;
    cacheResponses?: boolean;
    discover?: boolean | CardDiscoveryOptions;
}

export declare const DEFAULT_CLIENT_INFO: {
    name: string;
    version: string;
};

export interface DiscoveredCard {
    readonly name: string;
    readonly url: URL;
    readonly cardUrl: URL | undefined;
    readonly card: JsonObject;
}

export type ElicitHandler = ElicitCallback<ClientSession>;

export declare class FailedToolError extends Error {
    name: string;
    readonly toolName: string;
    readonly result: ToolResult;
}

export type Fetch = (url: string, init: FetchInit) => Promise<HttpResponse>;

export interface HttpClientLimits {
    maxResponseBytes: number;
    maxConcurrentRequests: number;
    streamIdleTimeout: number;
    maxWaiting: number;
}

export interface HttpHeaders {
    readonly [name: string]: string;
}

export interface HttpServerParameters {
    url: string | URL;
    headers?: HttpHeaders | (() => MaybePromise<HttpHeaders>);
    auth?: AuthProvider;
    fetch?: Fetch;
    limits?: Partial<HttpClientLimits>;
}

export declare class HttpStatusError extends McpError {
    name: string;
    readonly status: number;
    constructor(status: number, message: string, body?: string, options?: ErrorOptions);
}

export declare class InputRequiredError extends Error {
    name: string;
    readonly result: JsonObject;
}

export interface ListenFilter {
    tools?: boolean;
    prompts?: boolean;
    resources?: boolean | readonly string[] | ResourceFilter;
}

export interface ListenOptions {
    signal?: AbortSignal;
}

export interface Listening extends Promise<ChangeStream>, AsyncIterable<ServerChange> {
}

export type LogHandler = (message: LoggingMessageNotificationParams) => MaybePromise<void>;

export type MessageHandler = (message: ServerMessage) => MaybePromise<void>;

export type NotificationHandler<Params extends AnySchema | undefined = undefined> = (params: Params extends AnySchema ? InferOutput<Params> : JsonObject) => unknown;

export interface NotificationOptions<Params extends AnySchema | undefined = AnySchema | undefined> {
    params?: Params;
}

export interface OpenOptions {
    signal?: AbortSignal;
    timeout?: number;
}

export type Outcome = "not-sent" | "unknown";

export interface OutgoingRequest extends HandlerContext {
    readonly options: CallOptions;
    readonly protocolVersion: string;
    readonly transport: string | undefined;
    readonly endpoint?: ServerEndpoint | undefined;
    readonly server?: string;
}

export interface ProgramParameters extends StdioServerParameters {
    restart?: boolean | RestartOptions;
}

export interface ResourceFilter {
    list?: boolean;
    uris?: readonly string[];
}

export interface RestartOptions {
    max?: number;
}

export interface ResultOptions<Result extends AnySchema = AnySchema> extends CallOptions {
    result: Result;
}

export type Roots = RootsCallback<ClientSession>;

export type SampleHandler = SampleCallback<ClientSession>;

export type ServerChange = {
    readonly kind: "tools" | "prompts" | "resources";
} | {
    readonly kind: "resource";
    readonly uri: string;
};

export interface ServerMessage {
    method: string;
    params: JsonObject;
}

export interface ServerRequestContext extends QuestionContext<ClientSession> {
}

export declare class SessionLostError extends ConnectionLostError {
    name: string;
    constructor(options?: ErrorOptions);
}

export type Target = string | URL | HttpServerParameters | Servable | ProgramParameters | SessionSource;

export interface ToolCallOptions extends CallOptions {
    validateOutput?: boolean;
    task?: boolean | {
        ttl?: number;
    };
    onTask?: TaskCallback;
}

export type ToolCalls<Tools, Options = RequestOptions> = {
    readonly [Name in keyof Tools]: Tools[Name] extends ToolSignature<infer Args, infer Data> ? Partial<Args> extends Args ? (args?: Args, options?: Options) => Promise<Data> : (args: Args, options?: Options) => Promise<Data> : never;
};

export type ToolOutputFault = "missing" | "invalid" | "schema";

export declare class ToolOutputValidationError extends Error {
    name: string;
    readonly toolName: string;
    readonly reason: ToolOutputFault;
    readonly issues: readonly SchemaIssue[];
    readonly result: CallToolResult;
}

export declare class ToolResult<Data = unknown> {
    readonly content: readonly ContentBlock[];
    readonly structuredContent?: Data;
    readonly isError: boolean;
    readonly _meta?: Meta;
    constructor(result: CallToolResult);
    get data(): Data | undefined;
    get text(): string;
}

export declare class UnusableResponseError extends ProtocolViolationError {
    name: string;
}

export declare function connect<Server extends Servable>(target: Server, options?: ConnectOptions): Promise<Client<ToolsOf<Server>>>;
export declare function connect<Server extends Servable = Servable>(target: Target, options?: ConnectOptions): Promise<Client<ToolsOf<Server>>>;

export declare function statusOf(error: unknown): number | undefined;
