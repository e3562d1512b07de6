// What tenon/server exports. Made by: npm run api -- --update

export { ConnectionClosedError } from "tenon";
export { Deviation } from "tenon";
export { DeviationKind } from "tenon";
export { Elicited } from "tenon";
export { ErrorCode } from "tenon";
export { ErrorData } from "tenon";
export { FlatForm } from "tenon";
export { Handler } from "tenon";
export { HandlerContext } from "tenon";
export { LimitExceededError } from "tenon";
export { McpError } from "tenon";
export { McpUsageError } from "tenon";
export { Middleware } from "tenon";
export { MissingClientCapabilityError } from "tenon";
export { NoBackChannelError } from "tenon";
export { ProtocolViolationError } from "tenon";
export { QuestionFailedError } from "tenon";
export { RequestContext } from "tenon";
export { RequestStateOptions } from "tenon";
export { RequestTimeoutError } from "tenon";
export { ResourceNotFoundError } from "tenon";
export { ServerSession } from "tenon";
export { StatelessModeNotSupported } from "tenon";
export { TwoWayMiddleware } from "tenon";
export { UnsupportedVersionError } from "tenon";
export { UrlElicitationRequiredError } from "tenon";
export { expandUriTemplate } from "tenon";
export { withJsonSchema } from "tenon";

export { AuthInfo } from "tenon/auth";
export { EndpointAuth } from "tenon/auth";

export interface BlockOptions {
    annotations?: Annotations;
    _meta?: Meta;
}

export interface Bus {
    readonly maxMessage: number;
    publish(topic: string, message: string): MaybePromise<void>;
    subscribe(topic: string, listener: (message: string) => void): MaybePromise<() => void>;
    onGap(listener: () => void): () => void;
}

export interface Caller {
    readonly principal?: string | undefined;
    readonly auth?: AuthInfo | undefined;
    readonly client: ClientIdentity;
    readonly transport: Pick<TransportContext, "kind">;
    readonly lifespan: unknown;
}

export interface CardHeader {
    readonly name: string;
    readonly description?: string;
    readonly isRequired?: boolean;
    readonly isSecret?: boolean;
    readonly default?: string;
    readonly placeholder?: string;
    readonly choices?: readonly string[];
    readonly format?: "string" | "number" | "boolean" | "filepath";
}

export interface CardRepository {
    readonly url: string;
    readonly source: string;
    readonly id?: string;
    readonly subfolder?: string;
}

export type ClientAddress<Request> = string | ((request: Request) => string | undefined);

export interface ClusterStores {
    readonly keyed: KeyedStore;
    readonly events: EventLog;
    readonly bus: Bus;
}

export type Completer = (value: string, resolved: {
    readonly [name: string]: string;
}, context: RequestContext) => MaybePromise<Suggestions>;

export type Completers<Name extends string = string> = {
    readonly [name in Name]?: Completer;
};

export type ConfirmOption<Input = never> = true | string | OfCall<Input, MaybePromise<string | undefined>>;

export type ContentsInput = (Omit<TextResourceContents, "uri"> | Omit<BlobResourceContents, "uri">) & {
    uri?: string;
};

export declare class ContextLog {
    debug(data: unknown, logger?: string): MaybePromise<void>;
    info(data: unknown, logger?: string): MaybePromise<void>;
    notice(data: unknown, logger?: string): MaybePromise<void>;
    warning(data: unknown, logger?: string): MaybePromise<void>;
    error(data: unknown, logger?: string): MaybePromise<void>;
    critical(data: unknown, logger?: string): MaybePromise<void>;
    alert(data: unknown, logger?: string): MaybePromise<void>;
    emergency(data: unknown, logger?: string): MaybePromise<void>;
    send(level: LoggingLevel, data: unknown, logger?: string): MaybePromise<void>;
}

export type CustomMethodHandler<Params extends AnySchema | undefined = undefined, Result extends AnySchema | undefined = undefined, Lifespan = unknown> = (params: Params extends AnySchema ? InferOutput<Params> : JsonObject, context: RequestContext<Lifespan>) => MaybePromise<CustomMethodReturn<Result>>;

export interface CustomMethodOptions<Params extends AnySchema | undefined = AnySchema | undefined, Result extends AnySchema | undefined = AnySchema | undefined> {
    params?: Params;
    result?: Result;
}

export type CustomMethodReturn<Result extends AnySchema | undefined> = Result extends AnySchema ? InferInput<Result> : object | void;

export interface DiscoveryOptions extends ToolSearchOptions {
    above?: number;
}

export interface ElicitOptions<Schema extends AnySchema> {
    message: string;
    schema: Schema;
    once?: boolean;
}

export interface ElicitUrlOptions {
    message: string;
    url: string;
}

export interface EventLog {
    open(at: StreamName, opening: StreamOpening): MaybePromise<"opened" | "fenced" | "gone">;
    append(at: StreamName, append: StreamAppend): MaybePromise<"kept" | "fenced" | "gone">;
    add(at: StreamName, addition: StreamAddition): MaybePromise<number | "gone">;
    read(at: StreamName, after: number, limit: number): MaybePromise<EventPage | "unknown" | "evicted">;
    adopt(at: StreamName, from: string, to: string): MaybePromise<boolean>;
    drop(session: string, ms: number): MaybePromise<void>;
}

export interface EventPage {
    readonly events: readonly StoredEvent[];
    readonly last: number;
    readonly ended: boolean;
    readonly writer?: string;
    readonly note?: string;
}

export interface FailureReport {
    method: string;
    tool?: string;
    cancelled?: boolean;
    errorId?: string;
}

export interface Feature<Kind extends FeatureKind = FeatureKind> {
    readonly kind: Kind;
    readonly id: string;
    readonly options: OptionsOf<Kind>;
    readonly listed: JsonObject;
    run(context: RequestContext): MaybePromise<JsonObject>;
    readonly origin?: Feature<Kind> | undefined;
}

export interface FeatureChange {
    readonly kind: FeatureKind;
    readonly before?: Feature | undefined;
    readonly after?: Feature | undefined;
    readonly uri?: string | undefined;
}

export interface FeatureFilter {
    readonly names?: readonly string[];
    readonly kinds?: readonly FeatureKind[];
    readonly tags?: readonly string[];
    readonly version?: string;
}

export type FeatureKind = "tool" | "resource" | "template" | "prompt";

export interface FeatureOptions {
    title?: string;
    scopes?: readonly string[];
    icons?: readonly Icon[];
    _meta?: JsonObject;
    visible?: Visible;
    hidden?: boolean;
    tags?: readonly string[];
    version?: string;
}

export type FeatureSelector = FeatureFilter | ((feature: Feature) => boolean);

export interface FeatureSource {
    entries(kind: FeatureKind): Iterable<Feature>;
    find(kind: FeatureKind, id: string): Feature | undefined;
    onFeatureChange(listener: (change: FeatureChange) => void): () => void;
    open?(): Promise<() => Promise<void>>;
    refresh?(before: "list" | "refusal"): Promise<unknown> | undefined;
    rootsChanged?(session: ServerSession): MaybePromise<void>;
    readonly source?: FeatureSource | undefined;
}

export interface FetchHandler {
    (request: Request): Promise<Response>;
    drain(ms?: number): Promise<void>;
    close(): Promise<void>;
}

export interface FetchHandlerOptions extends HttpOptions {
    clientAddress?: ClientAddress<Request>;
}

export type FittingMiddleware<M extends string, Layer extends (next: never) => (context: never) => unknown> = M extends RequestMethod ? [WrongResult<M, Awaited<ReturnType<ReturnType<Layer>>>>] extends [never] ? Layer : MethodMiddleware<M> : Layer;

export interface HttpLimits extends ConnectionLimits {
    maxBodyBytes: number;
    maxResultSize: number;
    maxRunning: number;
    maxBuffered: number;
    maxStalled: number;
    maxUnsent: number;
}

export interface HttpOptions extends GuardOptions, Partial<CallTimes> {
    auth?: EndpointAuth;
    cors?: CorsOptions;
    card?: ServerCardOptions;
    welcome?: boolean | WelcomeOptions;
    responseMode?: ResponseMode;
    sessions?: boolean | HttpSessionOptions;
    stores?: SharedStores;
    streams?: HttpStreamOptions;
    limits?: Partial<HttpLimits>;
    httpSse?: boolean;
    onError?: (error: Error) => void;
    clock?: Clock;
}

export interface HttpSessionOptions {
    max?: number;
    maxPerPrincipal?: number;
    idle?: number;
    age?: number;
}

export interface HttpStreamOptions {
    after?: number;
    keepAlive?: number;
    retry?: number;
    max?: number;
    maxPerPrincipal?: number;
}

export type InitializationState = "notInitialized" | "initializing" | "initialized";

export interface InputRequiredOptions {
    inputRequests?: InputRequests;
    requestState?: string;
    _meta?: JsonObject;
}

export interface Joining {
    readonly ms: number;
    readonly max: number;
}

export interface KeyedEntry {
    readonly value: string;
    readonly version: Version;
}

export interface KeyedStore {
    read(key: string): MaybePromise<KeyedEntry | undefined>;
    swap(key: string, version: Version | undefined, next: KeyedValue | undefined): MaybePromise<Version | undefined>;
    renew(key: string, version: Version, ms: number): MaybePromise<boolean>;
    join(set: string, member: string, joining: Joining): MaybePromise<boolean>;
    leave(set: string, member: string): MaybePromise<void>;
    next(counter: string, least: number): MaybePromise<number>;
    now?(): MaybePromise<number>;
}

export interface KeyedValue {
    readonly value: string;
    readonly ms: number;
}

export type ListedResource = string | (Omit<Resource, "name"> & {
    readonly name?: string;
});

export type ListedResources = readonly ListedResource[] | {
    readonly resources: readonly ListedResource[];
    readonly nextCursor?: string | undefined;
};

export interface McpServer<Lifespan, Offered extends ToolSet<Lifespan>, Mounted extends MountSet> {
    readonly [SERVED]: Acceptor & FeatureSource;
}
export declare class McpServer<Lifespan = undefined, Offered extends ToolSet<Lifespan> = NoTools, Mounted extends MountSet = NoMounts> implements TypedServer<ServedSignatures<Offered, Mounted>> {
    readonly info: Implementation;
    readonly "~tools"?: ServedSignatures<Offered, Mounted>;
    constructor(info: Implementation, options?: McpServerOptions<Lifespan, Offered, Mounted>);
    tool<const Input extends AnySchema | undefined = undefined, const Output extends AnySchema | undefined = undefined>(name: string, options: ToolOptions<Input, Output> & WholeSchemas<{
        input: Input;
        output: Output;
    }>, handler: ToolHandler<Input, Output, Lifespan>): Registered<ToolOptions>;
    resource(uri: string, options: ResourceOptions, read: ReadResource<Lifespan>): Registered<ResourceOptions>;
    resourceTemplate<const Template extends string>(uriTemplate: Template, options: ResourceTemplateOptions<TemplateVariableNames<Template>, Lifespan>, read: ReadTemplate<Template, Lifespan>): Registered<ResourceTemplateOptions>;
    prompt<const Input extends AnySchema | undefined = undefined>(name: string, options: PromptOptions<Input> & WholeSchemas<{
        input: Input;
    }>, handler: PromptHandler<Input, Lifespan>): Registered<PromptOptions>;
    method<const Params extends AnySchema | undefined = undefined, const Result extends AnySchema | undefined = undefined>(name: string, options: CustomMethodOptions<Params, Result> & WholeSchemas<{
        params: Params;
        result: Result;
    }>, handler: CustomMethodHandler<Params, Result, Lifespan>): Registered<CustomMethodOptions>;
    use(added: Middleware<RequestContext<Lifespan>> | Extension): this;
    use<M extends RequestMethod>(method: M, middleware: MethodMiddleware<M, RequestContext<Lifespan>>): this;
    use<const M extends string, Layer extends Middleware<RequestContext<Lifespan>>>(method: M, middleware: Layer & FittingMiddleware<M, Layer>): this;
    resourceUpdated(uri: string | URL): void;
    listChanged(list: "tools" | "prompts" | "resources"): void;
    mount(prefix: string, source: Mountable, options?: MountOptions): Mount;
    visible(rule: ServerRule): this;
    visibilityChanged(principal?: string): void;
    onRootsChanged(listener: RootsListener): () => void;
    get capabilities(): ServerCapabilities;
    begin(): Promise<void>;
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}

export interface McpServerOptions<Lifespan = undefined, Offered extends ToolSet<Lifespan> = NoTools, Mounted extends MountSet = NoMounts> {
    instructions?: string;
    tools?: Offered;
    mounts?: Mounted;
    lifespan?: () => MaybePromise<Lifespan>;
    pageSize?: number;
    maxContentBlocks?: number;
    invalidArguments?: "result" | "error";
    discovery?: DiscoveryOptions;
    spill?: boolean | SpillOptions;
    logging?: boolean;
    capabilities?: ServerCapabilities;
    scopes?: MethodScopes;
    extensions?: readonly Extension[];
    requestState?: RequestStateOptions;
    pages?: UserPages;
    strict?: boolean;
    onDeviation?: (deviation: Deviation, client: Implementation | undefined) => void;
    onError?: OnError;
    validator?: JsonSchemaValidator;
    clock?: Clock;
}

export declare class MemoryStateStore implements StateStore {
    constructor(options?: MemoryStateStoreOptions);
    put(key: string, value: string, ms: number, owner?: string): void;
    get(key: string): string | undefined;
    claim(key: string, ms: number, owner?: string): boolean;
}

export interface MemoryStateStoreOptions {
    maxSize?: number;
    maxClaims?: number;
    clock?: Clock;
}

export type MethodHandler<M extends RequestMethod, C extends HandlerContext = HandlerContext> = (context: C & {
    params: NonNullable<ParamsOf<M>>;
}) => MaybePromise<ResultOf<M>>;

export type MethodMiddleware<M extends RequestMethod, C extends HandlerContext = HandlerContext> = (next: MethodHandler<M, C>) => MethodHandler<M, C>;

export declare class Mount {
    readonly prefix: string;
    readonly source: Mountable;
    unmount(): Promise<void>;
}

export interface MountOptions {
    only?: FeatureSelector;
    visible?: Visible;
    uris?: (uri: string) => string;
}

export interface MountSet {
    readonly [prefix: string]: Mountable;
}

export type Mountable = FeatureSource | SourceObject;

export type NoMounts = NoTools;

export type NoTools = Readonly<Record<never, never>>;

export type OnError = (error: unknown, report: FailureReport) => void;

export interface OnceOptions<Input = never> {
    readonly key: string | OfCall<Input, string | undefined>;
    readonly ttl?: number;
    readonly maxResult?: number;
    readonly maxKeys?: number;
    readonly store?: KeyedStore;
}

export interface OptionsByKind {
    readonly tool: ToolOptions;
    readonly resource: ResourceOptions;
    readonly template: ResourceTemplateOptions;
    readonly prompt: PromptOptions;
}

export type OptionsOf<Kind extends FeatureKind = FeatureKind> = OptionsByKind[Kind] & FeatureOptions;

export type PromptHandler<Input extends AnySchema | undefined, Lifespan = unknown> = (input: PromptInput<Input>, context: RequestContext<Lifespan>) => MaybePromise<PromptReturn>;

export type PromptInput<Input extends AnySchema | undefined> = Input extends AnySchema ? InferOutput<Input> : {
    [name: string]: string;
};

export interface PromptOptions<Input extends AnySchema | undefined = AnySchema | undefined> extends FeatureOptions {
    description?: string;
    input?: Input;
    complete?: Completers;
}

export type PromptReturn = string | PromptMessage | readonly PromptMessage[] | GetPromptResult | InputRequiredResult;

export type ReadResource<Lifespan = unknown> = (uri: string, context: RequestContext<Lifespan>) => MaybePromise<ResourceReturn>;

export type ReadTemplate<Template extends string, Lifespan = unknown> = (variables: TemplateVariables<Template>, context: RequestContext<Lifespan>) => MaybePromise<ResourceReturn>;

export declare class Registered<Options extends object = object> {
    get enabled(): boolean;
    enable(): void;
    disable(): void;
    remove(): void;
    update(options: Partial<Options>): void;
}

export interface ResourceOptions extends FeatureOptions {
    name?: string;
    description?: string;
    mimeType?: string;
    size?: number;
    annotations?: Annotations;
}

export type ResourceReturn = string | Uint8Array | ContentsInput | readonly ContentsInput[] | ReadResourceResult | InputRequiredResult | undefined;

export interface ResourceTemplateOptions<Variable extends string = string, Lifespan = unknown> extends Omit<ResourceOptions, "size"> {
    list?(context: RequestContext<Lifespan>, cursor?: string): MaybePromise<ListedResources>;
    complete?: Completers<Variable>;
}

export type ResponseMode = "auto" | "json" | "sse";

export type SealingKey = string | Uint8Array;

export type Selection = string | FeatureFilter;

export type ServedSignatures<Tools, Mounts> = [keyof Mounts] extends [never] ? SignaturesOf<Tools> : SignaturesOf<Tools> & {
    readonly [Name in MountedNames<Mounts>]: MountedTool<Mounts, Name>;
};

export interface ServerCardOptions {
    name: string;
    description: string;
    url: string;
    version?: string;
    title?: string;
    websiteUrl?: string;
    repository?: CardRepository;
    icons?: readonly Icon[];
    headers?: readonly CardHeader[];
    catalog?: boolean;
    _meta?: JsonObject;
}

export type ServerRule = (caller: Caller, feature: Feature) => boolean;

export interface SharedStores extends ClusterStores {
    readonly states?: StateStore;
}

export type SignaturesOf<Tools> = {
    readonly [Name in keyof Tools]: Tools[Name] extends {
        readonly "~signature"?: infer Signature;
    } ? NonNullable<Signature> : never;
};

export interface SourceObject {
    readonly [SERVED]: FeatureSource;
}

export interface SpillOptions {
    above?: number;
    preview?: number;
    ttl?: number;
    maxKept?: number;
    maxTotal?: number;
}

export interface StateStore {
    put(key: string, value: string, ms: number, owner?: string): MaybePromise<void>;
    get(key: string): MaybePromise<string | undefined>;
    claim(key: string, ms: number, owner?: string): MaybePromise<boolean>;
    now?(): MaybePromise<number>;
}

export interface StoredEvent {
    readonly number: number;
    readonly data: string;
}

export interface StreamAddition {
    readonly key: string;
    readonly data: readonly string[];
    readonly ms: number;
}

export interface StreamAppend {
    readonly writer: string;
    readonly first: number;
    readonly data: readonly string[];
    readonly ends?: boolean;
    readonly ms: number;
}

export interface StreamName {
    readonly session: string;
    readonly stream: string;
}

export interface StreamOpening {
    readonly writer?: string;
    readonly note?: string;
    readonly ms: number;
}

export type Suggestions = readonly string[] | {
    readonly values: readonly string[];
    readonly total?: number;
    readonly hasMore?: boolean;
};

export type TemplateValues<Template extends string> = {
    readonly [Name in keyof TemplateVariables<Template>]?: string | readonly string[] | undefined;
};

export interface ToolDefinition<Args = unknown, Data = unknown, Lifespan = never> {
    readonly options: ToolOptions;
    readonly handler: (input: never, context: RequestContext<Lifespan>) => unknown;
    readonly "~signature"?: ToolSignature<Args, Data>;
}

export declare class ToolError extends Error {
    name: string;
    readonly content: readonly ContentBlock[];
    readonly structuredContent?: unknown;
    readonly _meta?: JsonObject;
    constructor(text: string, options?: ToolErrorOptions);
    toResult(): CallToolResult;
}

export interface ToolErrorOptions extends ErrorOptions {
    content?: readonly ContentBlock[];
    structuredContent?: unknown;
    _meta?: JsonObject;
}

export type ToolHandler<Input extends AnySchema | undefined, Output extends AnySchema | undefined, Lifespan = unknown> = (input: ToolInput<Input>, context: RequestContext<Lifespan>) => MaybePromise<ToolOutput<Output>>;

export type ToolInput<Input extends AnySchema | undefined> = Input extends AnySchema ? InferOutput<Input> : JsonObject;

export interface ToolOptions<Input extends AnySchema | undefined = AnySchema | undefined, Output extends AnySchema | undefined = AnySchema | undefined> extends FeatureOptions {
    description?: string;
    input?: Input;
    output?: Output;
    annotations?: ToolAnnotations;
    task?: boolean | TaskToolOptions;
    once?: OnceOptions<ToolInput<Input>>;
    confirm?: ConfirmOption<ToolInput<Input>>;
    spill?: boolean | SpillOptions;
    ui?: ViewSource | ToolUiOptions;
}

export type ToolOutput<Output extends AnySchema | undefined> = CallToolResult | InputRequiredResult | (Output extends AnySchema ? InferInput<Output> : ToolReturn);

export type ToolReturn = Primitive | void | ToolData;

export interface ToolSearchOptions {
    pinned?: readonly string[];
    results?: number;
    synonyms?: Readonly<Record<string, readonly string[]>>;
}

export interface ToolSet<Lifespan = never> {
    readonly [name: string]: ToolDefinition<unknown, unknown, Lifespan>;
}

export interface ToolSignature<Args = unknown, Data = unknown> {
    readonly args: Args;
    readonly data: Data;
}

export type ToolsOf<Server> = Server extends {
    readonly "~tools"?: infer Tools;
} ? NonNullable<Tools> extends ToolSignatures ? NonNullable<Tools> : NoTools : NoTools;

export type Version = string;

export type Visible = (caller: Caller) => boolean;

export interface WelcomeOptions {
    url?: string;
}

export declare function audio(content: Uint8Array | string, mimeType: string, options?: BlockOptions): AudioContent;

export declare function createFetchHandler(given: Servable, options?: FetchHandlerOptions): FetchHandler;

export declare function file(uri: string, content: Uint8Array | string, mimeType?: string, options?: BlockOptions): EmbeddedResource;

export declare function image(content: Uint8Array | string, mimeType: string, options?: BlockOptions): ImageContent;

export declare function inputRequired(options: InputRequiredOptions): InputRequiredResult;

export declare function resourceLink(resource: Resource): ResourceLink;

export declare function sourceOf(given: Mountable): FeatureSource;

export declare function text(content: string, options?: BlockOptions): TextContent;

export declare function tool<const Input extends AnySchema | undefined = undefined, const Output extends AnySchema | undefined = undefined, Lifespan = unknown, const Returned extends ToolOutput<Output> = ToolOutput<Output>>(options: ToolOptions<Input, Output> & WholeSchemas<{
    input: Input;
    output: Output;
}>, handler: (input: ToolInput<Input>, context: RequestContext<Lifespan>) => MaybePromise<Returned>): ToolDefinition<Args<Input>, Data<Output, Returned>, Lifespan>;
