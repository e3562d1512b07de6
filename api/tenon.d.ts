// What tenon exports. Made by: npm run api -- --update

export { AuthInfo } from "tenon/auth";

export { ChangeStream } from "tenon/client";
export { Client } from "tenon/client";
export { ClientSession } from "tenon/client";
export { ClientSessionOptions } from "tenon/client";
export { ConnectOptions } from "tenon/client";
export { FailedToolError } from "tenon/client";
export { HttpServerParameters } from "tenon/client";
export { HttpStatusError } from "tenon/client";
export { InputRequiredError } from "tenon/client";
export { ProgramParameters } from "tenon/client";
export { RestartOptions } from "tenon/client";
export { ServerChange } from "tenon/client";
export { SessionLostError } from "tenon/client";
export { Target } from "tenon/client";
export { ToolOutputValidationError } from "tenon/client";
export { ToolResult } from "tenon/client";
export { UnusableResponseError } from "tenon/client";
export { connect } from "tenon/client";
export { statusOf } from "tenon/client";

export { McpServer } from "tenon/server";
export { McpServerOptions } from "tenon/server";
export { Registered } from "tenon/server";
export { ToolError } from "tenon/server";
export { audio } from "tenon/server";
export { file } from "tenon/server";
export { image } from "tenon/server";
export { inputRequired } from "tenon/server";
export { resourceLink } from "tenon/server";
export { text } from "tenon/server";
export { tool } from "tenon/server";

export interface Acceptor {
    accept(dispatcher: Dispatcher): Promise<void>;
    begin?(): Promise<void>;
    close?(): Promise<void>;
    readonly http?: HttpRules | undefined;
}

export type Annotations = {
    audience?: readonly Role[];
    priority?: number;
    lastModified?: string;
};

export type AnySchema = StandardSchema | JsonSchema;

export type AudioContent = Block & {
    type: "audio";
    data: string;
    mimeType: string;
};

export type BaseMetadata = {
    name: string;
    title?: string;
};

export type BlobResourceContents = ResourceContents & {
    blob: string;
};

export type BooleanSchema = Field & {
    type: "boolean";
    default?: boolean;
};

export type CacheScope = "public" | "private";

export type CacheableResult = Result & {
    ttlMs?: number;
    cacheScope?: CacheScope;
};

export interface CallTimes {
    timeout: number;
    maxTotalTimeout: number;
}

export type CallToolRequest = RequestOf<"tools/call">;

export type CallToolRequestParams = InputResponseRequestParams & {
    name: string;
    arguments?: JsonObject;
    task?: TaskMetadata;
};

export type CallToolResult = Result & {
    content: readonly ContentBlock[];
    structuredContent?: unknown;
    isError?: boolean;
};

export type CancelTaskRequest = RequestOf<"tasks/cancel">;

export type CancelTaskResult = Result & Task;

export type CancelledNotification = NotificationOf<"notifications/cancelled">;

export type CancelledNotificationParams = NotificationParams & {
    requestId?: RequestId;
    reason?: string;
};

export type ClientCapabilities = {
    experimental?: {
        [name: string]: JsonObject;
    };
    extensions?: ExtensionCapabilities;
    roots?: RootsCapability;
    sampling?: SamplingCapability;
    elicitation?: ElicitationCapability;
    tasks?: ClientTasksCapability;
};

export type ClientNotification = NotificationOf<ClientNotificationMethod>;

export type ClientRequest = RequestOf<Exclude<RequestMethod, AskMethod>>;

export type ClientResult = ResultOf<AskMethod | TaskMethod | "ping">;

export type ClientTasksCapability = {
    list?: JsonObject;
    cancel?: JsonObject;
    requests?: {
        sampling?: {
            createMessage?: JsonObject;
        };
        elicitation?: {
            create?: JsonObject;
        };
    };
};

export interface Clock {
    now(): number;
    setTimer(ms: number, callback: () => void): Timer;
    clearTimer(timer: Timer): void;
    wallNow?(): number;
}

export type CompleteRequest = RequestOf<"completion/complete">;

export type CompleteRequestParams = RequestParams & {
    ref: PromptReference | ResourceTemplateReference;
    argument: {
        name: string;
        value: string;
    };
    context?: {
        arguments?: {
            [name: string]: string;
        };
    };
};

export type CompleteResult = Result & {
    completion: {
        values: readonly string[];
        total?: number;
        hasMore?: boolean;
    };
};

export type CompletionsCapability = JsonObject;

export declare class ConnectionClosedError extends McpError {
    name: string;
    constructor(message?: string, data?: unknown, options?: ErrorOptions);
}

export interface ConnectionLimits {
    maxInFlight: number;
    maxRequestRate: number;
    handlerTimeout: number;
    handlerGrace: number;
    maxMalformed: number;
    maxProgressRate: number;
}

export declare class ConnectionLostError extends ConnectionClosedError {
    name: string;
    readonly outcome: Outcome;
    constructor(message: string, outcome: Outcome, options?: ErrorOptions);
}

export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

export type CreateMessageRequest = RequestOf<"sampling/createMessage">;

export type CreateMessageRequestParams = RequestParams & {
    messages: readonly SamplingMessage[];
    maxTokens: number;
    modelPreferences?: ModelPreferences;
    systemPrompt?: string;
    includeContext?: IncludeContext;
    temperature?: number;
    stopSequences?: readonly string[];
    metadata?: JsonObject;
    tools?: readonly Tool[];
    toolChoice?: ToolChoice;
    task?: TaskMetadata;
};

export type CreateMessageResult = Result & {
    role: Role;
    content: SamplingContent;
    model: string;
    stopReason?: StopReason;
};

export type CreateMessageResultWithTools = Result & {
    role: Role;
    content: SamplingMessageContentBlock | readonly SamplingMessageContentBlock[];
    model: string;
    stopReason?: StopReason;
};

export type CreateTaskResult = Result & {
    task: Task;
};

export type Cursor = string;

export interface Deviation {
    kind: DeviationKind;
    method?: string;
    path: string;
    message: string;
}

export type DeviationKind =
"null"
 | "empty-list"
 | "empty-object"
 | "boolean-schema"
 | "untyped-schema"
 | "boolean-capability"
 | "missing-content"
 | "single"
 | "empty-cursor"
 | "repeated-page"
 | "left-out"
 | "newer-question"
 | "media-type"
 | "event"
 | "response-id"
 | "old-revision";

export interface DirectDispatcherOptions extends LimitOptions {
    onError?: (error: Error) => void;
    clock?: Clock;
}

export type DiscoverRequest = RequestOf<"server/discover">;

export type DiscoverResult = CacheableResult & {
    supportedVersions: readonly string[];
    capabilities: ServerCapabilities;
    instructions?: string;
};

export interface Dispatcher extends Outbound {
    readonly context?: TransportContext;
    acceptsBatches: boolean;
    readonly canSendRequest?: boolean;
    run(onRequest: OnRequest, onNotification: OnNotification): Promise<void>;
    close(reason?: unknown): Promise<void>;
}

export type ElicitCompleteNotification = NotificationOf<"notifications/elicitation/complete">;

export type ElicitCompleteNotificationParams = ElicitationCompleteNotificationParams;

export type ElicitRequest = RequestOf<"elicitation/create">;

export type ElicitRequestFormParams = RequestParams & {
    mode?: "form";
    message: string;
    requestedSchema: ElicitRequestedSchema;
    task?: TaskMetadata;
};

export type ElicitRequestParams = ElicitRequestFormParams | ElicitRequestURLParams;

export type ElicitRequestURLParams = RequestParams & {
    mode: "url";
    message: string;
    url: string;
    elicitationId?: string;
    task?: TaskMetadata;
};

export type ElicitRequestedSchema = {
    $schema?: string;
    type: "object";
    properties: {
        [name: string]: PrimitiveSchemaDefinition;
    };
    required?: readonly string[];
};

export type ElicitResult = Result & {
    action: "accept" | "decline" | "cancel";
    content?: {
        [field: string]: string | number | boolean | readonly string[] | undefined;
    };
};

export type ElicitationCapability = {
    form?: FormElicitationCapability;
    url?: UrlElicitationCapability;
};

export type ElicitationCompleteNotificationParams = NotificationParams & {
    elicitationId: string;
};

export type Elicited<Content> = {
    readonly action: "accept";
    readonly content: Content;
} | {
    readonly action: "decline" | "cancel";
    readonly content?: undefined;
};

export type EmbeddedResource = Block & {
    type: "resource";
    resource: TextResourceContents | BlobResourceContents;
};

export type EmptyResult = Result;

export type EnumSchema = SingleSelectEnumSchema | MultiSelectEnumSchema | LegacyTitledEnumSchema;

export declare const ErrorCode: {
    readonly ParseError: -32700;
    readonly InvalidRequest: -32600;
    readonly MethodNotFound: -32601;
    readonly InvalidParams: -32602;
    readonly InternalError: -32603;
    readonly ConnectionClosed: -32000;
    readonly RequestTimeout: -32001;
    readonly ResourceNotFound: -32002;
    readonly HeaderMismatch: -32020;
    readonly MissingRequiredClientCapability: -32021;
    readonly UnsupportedProtocolVersion: -32022;
    readonly UrlElicitationRequired: -32042;
    readonly RequestCancelled: -32800;
};

export interface ErrorData {
    code: number;
    message: string;
    data?: unknown;
}

export type ExtensionCapabilities = {
    [id: string]: JsonObject;
};

export type FlatForm<Schema extends AnySchema> = [NestedFields<InferInput<Schema>>] extends [never] ? unknown : {
    schema: `A form has no objects, and lists of texts only: ${NestedFields<InferInput<Schema>> & string}`;
};

export type FormElicitationCapability = JsonObject;

export type GetPromptRequest = RequestOf<"prompts/get">;

export type GetPromptRequestParams = InputResponseRequestParams & {
    name: string;
    arguments?: {
        [name: string]: string;
    };
};

export type GetPromptResult = Result & {
    description?: string;
    messages: readonly PromptMessage[];
};

export type GetTaskPayloadRequest = RequestOf<"tasks/result">;

export type GetTaskPayloadResult = {
    _meta?: Meta;
    [member: string]: unknown;
};

export type GetTaskRequest = RequestOf<"tasks/get">;

export type GetTaskResult = Result & Task;

export type Handler<C extends HandlerContext = HandlerContext> = (context: C) => MaybePromise<JsonObject>;

export interface HandlerContext {
    readonly method: string;
    params: JsonObject;
    readonly signal: AbortSignal;
    abort?(reason: unknown): void;
}

export interface HttpRules {
    readonly headerNames?: HeaderNames | undefined;
    requirementsOf?(method: string, params: JsonObject): Requirements | undefined;
    readonly strict?: boolean | undefined;
}

export type Icon = {
    src: string;
    mimeType?: string;
    sizes?: readonly string[];
    theme?: "light" | "dark";
};

export type Icons = {
    icons?: readonly Icon[];
};

export type ImageContent = Block & {
    type: "image";
    data: string;
    mimeType: string;
};

export type Implementation = Icons & {
    name: string;
    version: string;
    title?: string;
    description?: string;
    websiteUrl?: string;
};

export interface InboundRequest extends Outbound {
    readonly requestId: RequestId;
    readonly method: string;
    readonly params: JsonObject | undefined;
    readonly transport: TransportContext;
    readonly signal: AbortSignal;
    readonly cancelled: boolean;
    ignore(): void;
    stop(reason: unknown): void;
    keepOpen(): void;
    release(): void;
    encode(result: JsonObject): RawResult;
}

export type IncludeContext = "none" | "thisServer" | "allServers";

export type Incoming = JSONRPCMessage | MalformedMessage | readonly (JSONRPCMessage | MalformedMessage)[];

export type InferInput<S> = S extends {
    readonly "~standard": {
        readonly types?: infer T;
    };
} ? NonNullable<T> extends {
    readonly input: infer I;
} ? I : unknown : FromJsonSchema<S>;

export type InferOutput<S> = S extends {
    readonly "~standard": {
        readonly types?: infer T;
    };
} ? NonNullable<T> extends {
    readonly output: infer O;
} ? O : unknown : FromJsonSchema<S>;

export type InitializeRequest = RequestOf<"initialize">;

export type InitializeRequestParams = RequestParams & {
    protocolVersion: string;
    capabilities: ClientCapabilities;
    clientInfo: Implementation;
};

export type InitializeResult = Result & {
    protocolVersion: string;
    capabilities: ServerCapabilities;
    serverInfo: Implementation;
    instructions?: string;
};

export type InitializedNotification = NotificationOf<"notifications/initialized">;

export type InputRequest = {
    method: "elicitation/create";
    params: ElicitRequestParams;
} | {
    method: "sampling/createMessage";
    params: CreateMessageRequestParams;
} | {
    method: "roots/list";
    params?: RequestParams;
};

export type InputRequests = {
    [key: string]: InputRequest;
};

export type InputRequiredResult = Result & {
    resultType: "input_required";
    inputRequests?: InputRequests;
    requestState?: string;
};

export type InputResponse = ElicitResult | CreateMessageResult | CreateMessageResultWithTools | ListRootsResult;

export type InputResponseRequestParams = RequestParams & {
    inputResponses?: InputResponses;
    requestState?: string;
};

export type InputResponses = {
    [key: string]: InputResponse;
};

export interface JSONRPCError {
    jsonrpc: "2.0";
    id: RequestId | null;
    error: ErrorData;
}

export type JSONRPCMessage = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse | JSONRPCError;

export interface JSONRPCNotification {
    jsonrpc: "2.0";
    method: string;
    params?: JsonObject;
}

export interface JSONRPCRequest {
    jsonrpc: "2.0";
    id: RequestId;
    method: string;
    params?: JsonObject;
}

export interface JSONRPCResponse {
    jsonrpc: "2.0";
    id: RequestId;
    result: JsonObject | JsonText;
}

export interface JsonLimits {
    readonly size: number;
    readonly depth: number;
    readonly nodes: number;
    readonly keysPerObject: number;
    readonly numberLength: number;
    readonly batch: number;
}

export type JsonObject = {
    [key: string]: unknown;
};

export declare class JsonRpcDispatcher implements Dispatcher {
    constructor(transport: Transport, options?: JsonRpcDispatcherOptions);
    get context(): TransportContext;
    get acceptsBatches(): boolean;
    set acceptsBatches(legal: boolean);
    request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject>;
    notify(method: string, params?: JsonObject): MaybePromise<void>;
    run(onRequest: OnRequest, onNotification: OnNotification): Promise<void>;
    drain(reason?: unknown): Promise<void>;
    close(reason?: unknown): Promise<void>;
}

export interface JsonRpcDispatcherOptions extends LimitOptions {
    onError?: (error: Error) => void;
    respondToMalformed?: boolean;
    drain?: number;
    cancelListens?: boolean;
    clock?: Clock;
}

export type JsonSchema = {
    readonly [keyword: string]: unknown;
};

export type JsonSchemaCheck = (value: unknown) => Validation;

export interface JsonSchemaValidator {
    compile(schema: JsonSchema): MaybePromise<JsonSchemaCheck>;
}

export declare const LATEST_HANDSHAKE_VERSION: StatefulVersion;

export declare const LATEST_PROTOCOL_VERSION: ProtocolVersion;

export declare const LOGGING_LEVELS: readonly ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

export type LegacyTitledEnumSchema = UntitledSingleSelectEnumSchema & {
    enumNames?: readonly string[];
};

export declare class LimitExceededError extends McpError {
    name: string;
    readonly limit: string;
    readonly max: number;
    constructor(limit: string, max: number, actual?: number, code?: number);
}

export interface LimitOptions extends Partial<CallTimes> {
    limits?: Partial<ConnectionLimits>;
}

export type ListPromptsRequest = RequestOf<"prompts/list">;

export type ListPromptsResult = PaginatedResult & CacheableResult & {
    prompts: readonly Prompt[];
};

export type ListResourceTemplatesRequest = RequestOf<"resources/templates/list">;

export type ListResourceTemplatesResult = PaginatedResult & CacheableResult & {
    resourceTemplates: readonly ResourceTemplate[];
};

export type ListResourcesRequest = RequestOf<"resources/list">;

export type ListResourcesResult = PaginatedResult & CacheableResult & {
    resources: readonly Resource[];
};

export type ListRootsRequest = RequestOf<"roots/list">;

export type ListRootsResult = Result & {
    roots: readonly Root[];
};

export type ListTasksRequest = RequestOf<"tasks/list">;

export type ListTasksResult = PaginatedResult & {
    tasks: readonly Task[];
};

export type ListToolsRequest = RequestOf<"tools/list">;

export type ListToolsResult = PaginatedResult & CacheableResult & {
    tools: readonly Tool[];
};

export type LoggingCapability = JsonObject;

export type LoggingLevel = (typeof LOGGING_LEVELS)[number];

export type LoggingMessageNotification = NotificationOf<"notifications/message">;

export type LoggingMessageNotificationParams = NotificationParams & {
    level: LoggingLevel;
    logger?: string;
    data: unknown;
};

export declare class MalformedMessage {
    readonly error: McpError;
    readonly id: RequestId | null;
    readonly isResponse: boolean;
    constructor(error: McpError, id?: RequestId | null, isResponse?: boolean);
}

export type MaybePromise<T> = T | Promise<T>;

export declare class McpError extends Error {
    name: string;
    readonly code: number;
    readonly data?: unknown;
    constructor(code: number, message: string, data?: unknown, options?: ErrorOptions);
    static isMcpError(value: unknown): value is McpError;
    static fromErrorData(error: ErrorData): McpError;
    static fromJsonRpcError(message: JSONRPCError): McpError;
    toErrorData(): ErrorData;
}

export declare class McpUsageError extends Error {
    name: string;
}

export interface MemoryPairOptions {
    limits?: {
        maxWaiting?: number;
    };
}

export type Meta = JsonObject;

export type Middleware<C extends HandlerContext = HandlerContext> = (next: Handler<C>) => Handler<C>;

export declare class MissingClientCapabilityError extends McpError {
    name: string;
    readonly requiredCapabilities: ClientCapabilities;
    constructor(requiredCapabilities: ClientCapabilities, message?: string);
}

export type ModelHint = {
    name?: string;
};

export type ModelPreferences = {
    hints?: readonly ModelHint[];
    costPriority?: number;
    speedPriority?: number;
    intelligencePriority?: number;
};

export type MultiSelectEnumSchema = UntitledMultiSelectEnumSchema | TitledMultiSelectEnumSchema;

export declare class NoBackChannelError extends McpError {
    name: string;
    readonly method: string;
    constructor(method: string);
}

export type NotificationMethod = keyof NotificationTypes;

export type NotificationOf<M extends NotificationMethod> = M extends NotificationMethod ? {
    method: M;
} & Pick<NotificationTypes[M], "params"> : never;

export type NotificationParams = {
    _meta?: Meta;
};

export interface NotificationTypes {
    "notifications/initialized": {
        params?: NotificationParams;
    };
    "notifications/cancelled": {
        params: lifecycle.CancelledNotificationParams;
    };
    "notifications/progress": {
        params: lifecycle.ProgressNotificationParams;
    };
    "notifications/message": {
        params: lifecycle.LoggingMessageNotificationParams;
    };
    "notifications/tools/list_changed": {
        params?: NotificationParams;
    };
    "notifications/prompts/list_changed": {
        params?: NotificationParams;
    };
    "notifications/resources/list_changed": {
        params?: NotificationParams;
    };
    "notifications/resources/updated": {
        params: resources.ResourceUpdatedNotificationParams;
    };
    "notifications/roots/list_changed": {
        params?: NotificationParams;
    };
    "notifications/elicitation/complete": {
        params: ElicitationCompleteNotificationParams;
    };
    "notifications/tasks/status": {
        params: tasks.TaskStatusNotificationParams;
    };
    "notifications/subscriptions/acknowledged": {
        params: lifecycle.SubscriptionsAcknowledgedNotificationParams;
    };
}

export type NumberSchema = Field & {
    type: "number" | "integer";
    minimum?: number;
    maximum?: number;
    default?: number;
};

export type ObjectSchema = {
    type: "object";
    [keyword: string]: unknown;
};

export interface Outbound {
    request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject>;
    notify(method: string, params?: JsonObject): MaybePromise<void>;
}

export type Outgoing = JSONRPCMessage | readonly JSONRPCMessage[];

export type PaginatedRequestParams = RequestParams & {
    cursor?: Cursor;
};

export type PaginatedResult = Result & {
    nextCursor?: Cursor;
};

export type ParamsOf<M extends RequestMethod> = RequestTypes[M]["params"];

export type PingRequest = RequestOf<"ping">;

export interface PortTransportOptions {
    readonly origin?: string | readonly string[];
    readonly closePort?: boolean;
    readonly limits?: {
        readonly maxMessageSize?: number;
    };
}

export interface PostingPort {
    postMessage(message: unknown, ...rest: never[]): void;
}

export type PrimitiveSchemaDefinition = StringSchema | NumberSchema | BooleanSchema | EnumSchema;

export interface Progress {
    progress: number;
    total?: number;
    message?: string;
}

export type ProgressCallback = (progress: Progress) => unknown;

export type ProgressNotification = NotificationOf<"notifications/progress">;

export type ProgressNotificationParams = NotificationParams & {
    progressToken: ProgressToken;
    progress: number;
    total?: number;
    message?: string;
};

export type ProgressToken = string | number;

export type Prompt = BaseMetadata & Icons & {
    description?: string;
    arguments?: readonly PromptArgument[];
    _meta?: Meta;
};

export type PromptArgument = BaseMetadata & {
    description?: string;
    required?: boolean;
};

export type PromptListChangedNotification = NotificationOf<"notifications/prompts/list_changed">;

export type PromptMessage = {
    role: Role;
    content: ContentBlock;
};

export type PromptReference = BaseMetadata & {
    type: "ref/prompt";
};

export type PromptsCapability = {
    listChanged?: boolean;
};

export type ProtocolVersion = StatefulVersion | StatelessVersion;

export declare class ProtocolViolationError extends McpError {
    name: string;
    constructor(message: string, data?: unknown, options?: ErrorOptions);
}

export declare class QuestionFailedError extends McpError {
    name: string;
    readonly method: string;
}

export type ReadResourceRequest = RequestOf<"resources/read">;

export type ReadResourceRequestParams = ResourceRequestParams & InputResponseRequestParams;

export type ReadResourceResult = CacheableResult & {
    contents: readonly (TextResourceContents | BlobResourceContents)[];
};

export type RelatedTaskMetadata = {
    taskId: string;
};

export declare class RequestContext<Lifespan = unknown> implements HandlerContext, AskingContext {
    params: JsonObject;
    readonly lifespan: Lifespan;
    outbound: Outbound;
    task: TaskContext | undefined;
    get method(): string;
    get transport(): TransportContext;
    get requestId(): RequestId;
    get meta(): RequestMeta;
    get signal(): AbortSignal;
    get client(): ClientIdentity;
    header(name: string): string | undefined;
    get auth(): AuthInfo | undefined;
    get principal(): string | undefined;
    set principal(principal: string | undefined);
    requireScopes(...scopes: readonly string[]): void;
    get protocolVersion(): string;
    progress(progress: number, total?: number, message?: string): MaybePromise<void>;
    fail(text: string): CallToolResult;
    get log(): ContextLog;
    elicit<const Schema extends AnySchema>(name: string, options: ElicitOptions<Schema> & FlatForm<Schema>): Promise<Elicited<InferOutput<Schema>>>;
    elicitUrl(name: string, options: ElicitUrlOptions): Promise<ElicitResult["action"]>;
    confirm(name: string, message: string): Promise<boolean>;
    secret(name: string, options: SecretOptions): Promise<string>;
    sample(name: string, params: SampleWithoutTools): Promise<CreateMessageResult>;
    sample(name: string, params: CreateMessageRequestParams): Promise<CreateMessageResultWithTools>;
    roots(name?: string): Promise<readonly Root[]>;
    step<T>(name: string, work: StepWork<T>): Promise<T>;
    get inputResponses(): InputResponses;
    get requestState(): string | undefined;
    hide(...selections: readonly Selection[]): void;
    show(...selections: readonly Selection[]): void;
    resetVisibility(): void;
    abort(reason: unknown): void;
    get session(): ServerSession;
    closeStream(): void;
    notify(method: string, params?: JsonObject): MaybePromise<void>;
}

export type RequestId = string | number;

export type RequestMeta = {
    progressToken?: ProgressToken;
    [key: string]: unknown;
};

export type RequestMethod = keyof RequestTypes;

export type RequestOf<M extends RequestMethod> = M extends RequestMethod ? {
    method: M;
} & Pick<RequestTypes[M], "params"> : never;

export interface RequestOptions {
    timeout?: number;
    maxTotalTimeout?: number;
    resetTimeoutOnProgress?: boolean;
    signal?: AbortSignal;
    onProgress?: ProgressCallback;
    requestId?: RequestId;
    cancelOnAbandon?: boolean;
    metadata?: ClientMessageMetadata;
}

export type RequestParams = {
    _meta?: RequestMeta;
};

export type RequestParamsMeta = RequestMeta;

export interface RequestStateOptions {
    keys?: readonly SealingKey[];
    ttl?: number;
    maxSize?: number;
    store?: StateStore;
    maxSuspended?: number;
}

export declare class RequestTimeoutError extends McpError {
    name: string;
    readonly method: string;
    readonly timeoutMs: number;
    constructor(method: string, timeoutMs: number, option?: string);
}

export interface RequestTypes {
    initialize: {
        params: lifecycle.InitializeRequestParams;
        result: lifecycle.InitializeResult;
    };
    "server/discover": {
        params?: RequestParams;
        result: lifecycle.DiscoverResult;
    };
    ping: {
        params?: RequestParams;
        result: EmptyResult;
    };
    "tools/list": {
        params?: PaginatedRequestParams;
        result: tools.ListToolsResult;
    };
    "tools/call": {
        params: CallToolRequestParams;
        result: tools.CallToolResult | InputRequiredResult | tasks.CreateTaskResult;
    };
    "resources/list": {
        params?: PaginatedRequestParams;
        result: resources.ListResourcesResult;
    };
    "resources/templates/list": {
        params?: PaginatedRequestParams;
        result: resources.ListResourceTemplatesResult;
    };
    "resources/read": {
        params: resources.ReadResourceRequestParams;
        result: resources.ReadResourceResult | InputRequiredResult;
    };
    "resources/subscribe": {
        params: resources.SubscribeRequestParams;
        result: EmptyResult;
    };
    "resources/unsubscribe": {
        params: resources.UnsubscribeRequestParams;
        result: EmptyResult;
    };
    "prompts/list": {
        params?: PaginatedRequestParams;
        result: prompts.ListPromptsResult;
    };
    "prompts/get": {
        params: prompts.GetPromptRequestParams;
        result: prompts.GetPromptResult | InputRequiredResult;
    };
    "completion/complete": {
        params: prompts.CompleteRequestParams;
        result: prompts.CompleteResult;
    };
    "logging/setLevel": {
        params: lifecycle.SetLevelRequestParams;
        result: EmptyResult;
    };
    "subscriptions/listen": {
        params: lifecycle.SubscriptionsListenRequestParams;
        result: lifecycle.SubscriptionsListenResult;
    };
    "sampling/createMessage": {
        params: sampling.CreateMessageRequestParams;
        result: sampling.CreateMessageResult | sampling.CreateMessageResultWithTools | tasks.CreateTaskResult;
    };
    "roots/list": {
        params?: RequestParams;
        result: sampling.ListRootsResult;
    };
    "elicitation/create": {
        params: ElicitRequestParams;
        result: ElicitResult | tasks.CreateTaskResult;
    };
    "tasks/get": {
        params: tasks.TaskRequestParams;
        result: tasks.GetTaskResult;
    };
    "tasks/result": {
        params: tasks.TaskRequestParams;
        result: tasks.GetTaskPayloadResult;
    };
    "tasks/cancel": {
        params: tasks.TaskRequestParams;
        result: tasks.CancelTaskResult;
    };
    "tasks/list": {
        params?: PaginatedRequestParams;
        result: tasks.ListTasksResult;
    };
}

export type Resource = Icons & {
    uri: string;
    name: string;
    title?: string;
    description?: string;
    mimeType?: string;
    size?: number;
    annotations?: Annotations;
    _meta?: Meta;
};

export type ResourceContents = {
    uri: string;
    mimeType?: string;
    _meta?: Meta;
};

export type ResourceLink = Resource & {
    type: "resource_link";
};

export type ResourceListChangedNotification = NotificationOf<"notifications/resources/list_changed">;

export declare class ResourceNotFoundError extends McpError {
    name: string;
    readonly uri: string;
    constructor(uri: string, message?: string);
}

export type ResourceRequestParams = RequestParams & {
    uri: string;
};

export type ResourceTemplate = Icons & {
    uriTemplate: string;
    name: string;
    title?: string;
    description?: string;
    mimeType?: string;
    annotations?: Annotations;
    _meta?: Meta;
};

export type ResourceTemplateReference = {
    type: "ref/resource";
    uri: string;
};

export type ResourceUpdatedNotification = NotificationOf<"notifications/resources/updated">;

export type ResourceUpdatedNotificationParams = NotificationParams & {
    uri: string;
};

export type ResourcesCapability = {
    subscribe?: boolean;
    listChanged?: boolean;
};

export type Result = {
    _meta?: Meta;
    resultType?: ResultType;
};

export type ResultOf<M extends RequestMethod> = RequestTypes[M]["result"];

export type ResultType = "complete" | "input_required" | (string & {});

export type Role = "user" | "assistant";

export type Root = {
    uri: string;
    name?: string;
    _meta?: Meta;
};

export type RootsCapability = {
    listChanged?: boolean;
};

export type RootsListChangedNotification = NotificationOf<"notifications/roots/list_changed">;

export declare const SERVED: unique symbol;

export declare const STATEFUL_VERSIONS: readonly ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

export declare const STATELESS_VERSIONS: readonly ["2026-07-28"];

export declare const SUPPORTED_PROTOCOL_VERSIONS: readonly ProtocolVersion[];

export type SamplingCapability = {
    context?: SamplingContextCapability;
    tools?: SamplingToolsCapability;
};

export type SamplingContent = TextContent | ImageContent | AudioContent;

export type SamplingContextCapability = JsonObject;

export type SamplingMessage = {
    role: Role;
    content: SamplingMessageContentBlock | readonly SamplingMessageContentBlock[];
    _meta?: Meta;
};

export type SamplingMessageContentBlock = SamplingContent | ToolUseContent | ToolResultContent;

export type SamplingToolsCapability = JsonObject;

export interface SendOptions {
    readonly relatedRequestId?: RequestId;
    readonly metadata?: ClientMessageMetadata;
}

export type Servable = Acceptor | ServedObject;

export interface ServedObject {
    readonly [SERVED]: Acceptor;
}

export type ServerCapabilities = {
    experimental?: {
        [name: string]: JsonObject;
    };
    extensions?: ExtensionCapabilities;
    logging?: LoggingCapability;
    completions?: CompletionsCapability;
    prompts?: PromptsCapability;
    resources?: ResourcesCapability;
    tools?: ToolsCapability;
    tasks?: ServerTasksCapability;
};

export type ServerNotification = NotificationOf<SharedNotification | Exclude<NotificationMethod, ClientNotificationMethod>>;

export type ServerRequest = RequestOf<AskMethod | TaskMethod | "ping">;

export type ServerResult = ResultOf<Exclude<RequestMethod, AskMethod>>;

export declare class ServerSession {
    get standalone(): ServerSession;
    get clientParams(): InitializeRequestParams | undefined;
    get clientCapabilities(): ClientCapabilities;
    get protocolVersion(): string;
    get canSendRequest(): boolean;
    checkClientCapability(required: ClientCapabilities): boolean;
    ping(options?: RequestOptions): Promise<void>;
    createMessage(params: CreateMessageRequestParams & {
        tools?: undefined;
        toolChoice?: undefined;
    }, options?: RequestOptions): Promise<CreateMessageResult>;
    createMessage(params: CreateMessageRequestParams, options?: RequestOptions): Promise<CreateMessageResultWithTools>;
    elicitForm(params: Omit<ElicitRequestFormParams, "mode">, options?: RequestOptions): Promise<ElicitResult>;
    elicitUrl(params: Omit<ElicitRequestURLParams, "mode">, options?: RequestOptions): Promise<ElicitResult>;
    listRoots(options?: RequestOptions): Promise<ListRootsResult>;
    request(method: string, params?: JsonObject, options?: RequestOptions, needs?: ClientCapabilities): Promise<JsonObject>;
    notify(method: string, params?: JsonObject): Promise<void>;
    sendLogMessage(params: LoggingMessageNotificationParams): Promise<void>;
    sendProgress(params: ProgressNotificationParams): Promise<void>;
    sendElicitComplete(elicitationId: string): Promise<void>;
    sendResourceUpdated(uri: string | URL): Promise<void>;
    sendToolListChanged(): Promise<void>;
    sendResourceListChanged(): Promise<void>;
    sendPromptListChanged(): Promise<void>;
}

export type ServerTasksCapability = {
    list?: JsonObject;
    cancel?: JsonObject;
    requests?: {
        tools?: {
            call?: JsonObject;
        };
    };
};

export type SessionSource = Dispatcher | Transport | TransportStreams;

export type SetLevelRequest = RequestOf<"logging/setLevel">;

export type SetLevelRequestParams = RequestParams & {
    level: LoggingLevel;
};

export type SingleSelectEnumSchema = UntitledSingleSelectEnumSchema | TitledSingleSelectEnumSchema;

export interface StandardSchema<Input = unknown, Output = Input> {
    readonly "~standard": StandardProps<Input, Output>;
}

export declare class StatelessModeNotSupported extends NoBackChannelError {
    name: string;
    constructor(method: StatelessMethod);
}

export type StopReason = "endTurn" | "stopSequence" | "maxTokens" | "toolUse" | (string & {});

export type StringSchema = Field & {
    type: "string";
    minLength?: number;
    maxLength?: number;
    format?: "email" | "uri" | "date" | "date-time";
    default?: string;
};

export type SubscribeRequest = RequestOf<"resources/subscribe">;

export type SubscribeRequestParams = ResourceRequestParams;

export type SubscriptionFilter = {
    toolsListChanged?: boolean;
    promptsListChanged?: boolean;
    resourcesListChanged?: boolean;
    resourceSubscriptions?: readonly string[];
    [filter: string]: unknown;
};

export type SubscriptionsAcknowledgedNotification = NotificationOf<"notifications/subscriptions/acknowledged">;

export type SubscriptionsAcknowledgedNotificationParams = NotificationParams & {
    notifications: SubscriptionFilter;
};

export type SubscriptionsListenRequest = RequestOf<"subscriptions/listen">;

export type SubscriptionsListenRequestParams = RequestParams & {
    notifications: SubscriptionFilter;
};

export type SubscriptionsListenResult = Result & {
    _meta: Meta;
};

export type Task = {
    taskId: string;
    status: TaskStatus;
    statusMessage?: string;
    createdAt: string;
    lastUpdatedAt: string;
    ttl: number | null;
    pollInterval?: number;
};

export type TaskAugmentedRequestParams = RequestParams & {
    task?: TaskMetadata;
};

export type TaskMetadata = {
    ttl?: number;
};

export type TaskRequestParams = RequestParams & {
    taskId: string;
};

export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

export type TaskStatusNotification = NotificationOf<"notifications/tasks/status">;

export type TaskStatusNotificationParams = NotificationParams & Task;

export type TextContent = Block & {
    type: "text";
    text: string;
};

export type TextResourceContents = ResourceContents & {
    text: string;
};

export type TitledChoice = {
    const: string;
    title: string;
};

export type TitledMultiSelectEnumSchema = MultiSelect & {
    items: {
        anyOf: readonly TitledChoice[];
    };
};

export type TitledSingleSelectEnumSchema = Field & {
    type: "string";
    oneOf: readonly TitledChoice[];
    default?: string;
};

export type Tool = BaseMetadata & Icons & {
    description?: string;
    inputSchema: ObjectSchema;
    outputSchema?: JsonObject;
    annotations?: ToolAnnotations;
    execution?: ToolExecution;
    _meta?: Meta;
};

export type ToolAnnotations = {
    title?: string;
    readOnlyHint?: boolean;
    destructiveHint?: boolean;
    idempotentHint?: boolean;
    openWorldHint?: boolean;
};

export type ToolChoice = {
    mode?: "auto" | "required" | "none";
};

export type ToolExecution = {
    taskSupport?: "forbidden" | "optional" | "required";
};

export type ToolListChangedNotification = NotificationOf<"notifications/tools/list_changed">;

export type ToolResultContent = {
    type: "tool_result";
    toolUseId: string;
    content: readonly ContentBlock[];
    structuredContent?: unknown;
    isError?: boolean;
    _meta?: Meta;
};

export type ToolUseContent = {
    type: "tool_use";
    id: string;
    name: string;
    input: JsonObject;
    _meta?: Meta;
};

export type ToolsCapability = {
    listChanged?: boolean;
};

export interface Transport {
    readonly kind: string;
    readonly takesValues?: boolean;
    send(message: Outgoing, options?: SendOptions): MaybePromise<void>;
    receive(): MaybePromise<Incoming>;
    receiveAll?(take: (incoming: Incoming) => MaybePromise<void>): Promise<never>;
    readonly lastMetadata?: MessageMetadata | undefined;
    readonly lastSender?: TransportContext | undefined;
    readonly lastContext?: RunInContext | undefined;
    writeNow?(): void;
    unread?(ms: number): string | undefined;
    close(reason?: unknown): Promise<void>;
}

export interface TwoWayMiddleware {
    <C extends HandlerContext>(next: Handler<C>): Handler<C>;
    readonly bothWays: true;
}

export type UnsubscribeRequest = RequestOf<"resources/unsubscribe">;

export type UnsubscribeRequestParams = ResourceRequestParams;

export declare class UnsupportedVersionError extends McpError {
    name: string;
    readonly supported: readonly string[];
    readonly requested: string;
    constructor(supported: readonly string[], requested: string, message?: string);
}

export type UntitledMultiSelectEnumSchema = MultiSelect & {
    items: {
        type: "string";
        enum: readonly string[];
    };
};

export type UntitledSingleSelectEnumSchema = Field & {
    type: "string";
    enum: readonly string[];
    default?: string;
};

export type UrlElicitationCapability = JsonObject;

export declare class UrlElicitationRequiredError extends McpError {
    name: string;
    readonly elicitations: readonly ElicitRequestURLParams[];
    constructor(elicitations: readonly UrlElicitation[], message?: string);
    static fromErrorData(error: ErrorData): UrlElicitationRequiredError;
}

export declare function acceptorOf(server: Servable): Acceptor;

export declare function coerceRequestId(id: RequestId): RequestId;
export declare function coerceRequestId(id: unknown): unknown;

export declare function contentAsList<Block extends object>(message: {
    readonly content: Block | readonly Block[];
}): readonly Block[];

export declare function createDirectPair(client?: DirectDispatcherOptions, server?: DirectDispatcherOptions): [client: Dispatcher, server: Dispatcher];

export declare function createJsonSchemaValidator(limits?: Partial<SchemaLimits>): JsonSchemaValidator;

export declare function createMemoryPair(options?: MemoryPairOptions): [Transport, Transport];

export declare function displayName({ name, title, annotations }: Named): string;

export declare function expandUriTemplate<const Template extends string>(template: Template, values: TemplateValues<Template>): string;

export declare function isRequestId(value: unknown): value is RequestId;

export declare function nextTaskRequestId(taskId: string): string;

export declare function parseJsonRpcMessage(line: string, limits?: Partial<JsonLimits>): JSONRPCMessage;

export declare function portTransport(port: PostingPort, options?: PortTransportOptions): Transport;

export declare function withJsonSchema<S extends StandardSchema>(schema: S, input: JsonSchema, output?: JsonSchema): StandardSchema<InferInput<S>, InferOutput<S>>;
