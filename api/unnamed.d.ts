// Types that public ones name, and that no subpath exports.

declare const DECIDED: readonly ["issuer", "audience", "resource", "verify", "introspection", "jwksUri"];

export declare abstract class ProtocolCalls {
    abstract request<M extends RequestMethod>(method: M, params?: ParamsOf<M>, options?: CallOptions): Promise<ResultOf<M>>;
    abstract notify(method: string, params?: JsonObject): Promise<void>;
    listResources(params?: PaginatedRequestParams, options?: CallOptions): Promise<ListResourcesResult>;
    listResourceTemplates(params?: PaginatedRequestParams, options?: CallOptions): Promise<ListResourceTemplatesResult>;
    readResource(uri: string, options?: CallOptions): Promise<ReadResourceResult>;
    subscribeResource(uri: string, options?: CallOptions): Promise<EmptyResult>;
    unsubscribeResource(uri: string, options?: CallOptions): Promise<EmptyResult>;
    listPrompts(params?: PaginatedRequestParams, options?: CallOptions): Promise<ListPromptsResult>;
    getPrompt(name: string, args?: {
        [name: string]: string;
    }, options?: CallOptions): Promise<GetPromptResult>;
    complete(params: CompleteRequestParams, options?: CallOptions): Promise<CompleteResult>;
    ping(options?: CallOptions): Promise<EmptyResult>;
    sendProgress(params: ProgressNotificationParams): Promise<void>;
    sendRootsListChanged(): Promise<void>;
}

export declare class EventStream {
    constructor(limits: EventStreamLimits);
    get ended(): boolean;
    get crowded(): boolean;
    whenRead(): MaybePromise<void>;
    whenEnded(listener: () => void): void;
    send(data: string, id?: string): MaybePromise<void>;
    write(text: string): MaybePromise<void>;
    writeNow(): void;
    end(data?: string, id?: string): void;
    cut(): void;
    beat(ms: number): void;
    attach(sink: StreamSink): void;
    progressed(): void;
    drained(): void;
    gone(): void;
}

export declare class JsonText {
    readonly text: string;
    readonly reused: boolean;
    constructor(text: string, reused?: boolean);
    toJSON(): unknown;
}

export declare const FETCH_SETTINGS: {
    readonly redirect: "manual";
    readonly cache: "no-store";
};

export interface AskedRequest<Session> extends HandlerContext, QuestionContext<Session> {
    readonly asked: "request" | "result";
    readonly protocolVersion: string;
}

export interface AskingContext {
    elicit<const Schema extends AnySchema>(name: string, options: ElicitOptions<Schema> & FlatForm<Schema>): Promise<Elicited<InferOutput<Schema>>>;
    elicitUrl(name: string, options: ElicitUrlOptions): Promise<ElicitResult["action"]>;
    confirm(name: string, message: string): Promise<boolean>;
    secret(name: string, options: SecretOptions): Promise<string>;
    sample(name: string, params: SampleWithoutTools): Promise<CreateMessageResult>;
    sample(name: string, params: CreateMessageRequestParams): Promise<CreateMessageResultWithTools>;
    roots(name?: string): Promise<readonly Root[]>;
    step<T>(name: string, work: StepWork<T>): Promise<T>;
}

export interface AuthRequestInit extends CheckedRequestInit {
    readonly method: "GET" | "POST";
    readonly headers: {
        readonly [name: string]: string;
    };
    readonly body?: string;
    readonly signal: AbortSignal;
    readonly redirect: "manual";
    readonly cache: "no-store";
}

export interface AuthResponse {
    readonly status: number;
    readonly headers: {
        get(name: string): string | null;
    };
    readonly body: ReadableStream<Uint8Array> | null;
}

export interface AuthorizationErrorDetails {
    readonly hop: AuthorizationHop;
    readonly url: string | URL;
    readonly problem: string;
    readonly remedy: string;
    readonly error?: string | undefined;
    readonly cause?: unknown;
}

export interface Callbacks<Session> {
    onElicit?: ElicitCallback<Session>;
    elicitationModes?: readonly ("form" | "url")[];
    elicitationSchemes?: readonly string[];
    onSample?: SampleCallback<Session>;
    samplingCapabilities?: SamplingCapability;
    roots?: RootsCallback<Session>;
}

export interface CheckedRequestInit {
    readonly method: string;
    readonly headers: {
        readonly [name: string]: string;
    };
    readonly body?: string | Uint8Array;
    readonly signal: AbortSignal;
    readonly redirect: "manual";
    readonly cache: "no-store";
}

export interface ClientIdentity {
    readonly info?: Implementation | undefined;
    readonly capabilities: ClientCapabilities;
    readonly logLevel?: LoggingLevel | undefined;
    readonly meta?: JsonObject | undefined;
}

export interface CodecFacts {
    readonly acceptsBatches: boolean;
    readonly primesStreams: boolean;
    readonly namesVersionInHeader: boolean;
    readonly hasHttpSse: boolean;
}

export interface CorsOptions {
    origins: readonly string[] | "loopback";
    headers?: readonly string[];
}

export interface EncodeResultOptions {
    readonly server?: Implementation;
    readonly check?: boolean;
}

export interface EventStreamLimits {
    readonly maxBuffered: number;
    readonly maxStalled: number;
    readonly maxUnsent: number;
}

export interface GroupListeners {
    onServerError?: (error: Error, server: string) => void;
    onChange?: (change: GroupChange) => void;
}

export interface GuardOptions {
    allowedHosts?: readonly string[] | "any";
    allowedOrigins?: readonly string[] | "any";
}

export interface HttpEntry extends HttpServerParameters, ServerOptions {
    type?: "sse" | "http" | "streamableHttp" | "streamable-http";
    limits?: Partial<HttpClientLimits & ClientLimits>;
}

export interface HttpRequest extends PageRequest {
    text(): MaybePromise<string>;
    parts?(): MaybePromise<string | readonly string[]>;
    isBehind?(max: number): boolean;
    onClose?(listener: () => void): void;
    readonly address?: string | undefined;
    principal?: string;
    sessionOwner?: string;
}

export interface HttpRequestInit {
    readonly method: string;
    readonly headers: {
        readonly [name: string]: string;
    };
    readonly body?: string;
    readonly signal: AbortSignal;
}

export interface HttpResponse {
    readonly status: number;
    readonly headers: readonly string[];
    readonly body?: HttpBody;
}

export interface HttpResponse {
    readonly status: number;
    readonly ok: boolean;
    readonly type: string;
    readonly headers: {
        get(name: string): string | null;
        has(name: string): boolean;
        getSetCookie?(): readonly string[];
    };
    readonly body: ReadableStream<Uint8Array> | null;
    text(): Promise<string>;
}

export interface JsonSchemaConverter {
    readonly input: (options: {
        readonly target: "draft-2020-12";
    }) => JsonObject;
    readonly output: (options: {
        readonly target: "draft-2020-12";
    }) => JsonObject;
}

export interface LeakedHandlers {
    running: number;
    total: number;
}

export interface ListLimits {
    maxTools: number;
    maxListItems: number;
    maxDefinitionSize: number;
}

export interface ListedTools<Tools> {
    readonly tools: Tools;
    readonly notes: readonly ToolNote[];
    readonly refresh: () => Promise<Tools>;
}

export interface NotificationCallbacks {
    onLog?: LogHandler;
    onMessage?: MessageHandler;
}

export interface QuestionContext<Session> {
    readonly requestId: RequestId;
    readonly meta: RequestMeta | undefined;
    readonly signal: AbortSignal;
    readonly session: Session;
    readonly progress: (progress: number, total?: number, message?: string) => MaybePromise<void>;
}

export interface RequirementCheck {
    check(required: Requirements): void;
}

export interface Requirements {
    readonly scopes: readonly string[];
    readonly inputSchema?: JsonObject | undefined;
}

export interface RunnableTools<Tools, Reply, Results> extends ListedTools<Tools> {
    readonly run: (reply: Reply, options?: RunOptions) => Promise<Results>;
}

export interface SchemaIssue {
    readonly message: string;
    readonly path?: readonly (PropertyKey | {
        readonly key: PropertyKey;
    })[] | undefined;
}

export interface SchemaLimits {
    readonly schemaDepth: number;
    readonly subschemas: number;
    readonly schemaNodes: number;
    readonly patternLength: number;
    readonly patternSize: number;
    readonly validationSteps: number;
    readonly refDepth: number;
}

export interface SecretOptions {
    message: string;
}

export interface ServerEndpoint {
    readonly address: string;
    readonly port: number;
}

export interface SessionOptions<Session> extends Callbacks<Session>, NotificationCallbacks, Omit<LimitOptions, "limits"> {
    limits?: Partial<ClientLimits>;
    clientInfo?: Implementation;
    middleware?: readonly Middleware<OutgoingRequest>[];
    visitTimeout?: number;
    experimental?: {
        [name: string]: JsonObject;
    };
    extensions?: readonly Extension[] | ExtensionCapabilities;
    logLevel?: LoggingLevel;
    onError?: (error: Error) => void;
    validateOutput?: boolean;
    validator?: JsonSchemaValidator;
    clock?: Clock;
    strict?: boolean;
    onDeviation?: (deviation: Deviation) => void;
}

export interface StandardProps<Input = unknown, Output = Input> {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: {
        readonly input: Input;
        readonly output: Output;
    } | undefined;
    readonly validate: (value: unknown) => Validation<Output> | Promise<Validation<Output>>;
    readonly jsonSchema?: JsonSchemaConverter | undefined;
}

export interface StdioEntry extends StdioServerParameters, ServerOptions {
    type?: "stdio";
    limits?: Partial<ProgramLimits & ClientLimits>;
}

export interface Step {
    readonly key: string;
}

export interface StoreCheck<Given extends readonly unknown[]> {
    readonly name: string;
    readonly run: (...given: Given) => Promise<void>;
}

export interface StreamSink {
    write(text: string): boolean;
    end(text: string): void;
    cut(): void;
}

export interface TargetEntry extends ServerOptions {
    target: TargetSource;
}

export interface ToolSignatures {
    readonly [name: string]: ToolSignature;
}

export interface TransportContext {
    readonly kind: string;
    header?(name: string): string | undefined;
    readonly auth?: AuthInfo | undefined;
    readonly principal?: string | undefined;
    readonly address?: string | undefined;
    readonly endpoint?: ServerEndpoint | undefined;
    readonly requirements?: RequirementCheck | undefined;
}

export interface TypedProcedure {
    readonly "~orpc": {
        readonly inputSchema?: unknown;
        readonly outputSchema?: unknown;
        readonly __TInputSchema?: unknown;
        readonly __TOutputSchema?: unknown;
    };
}

export interface TypedProcedure {
    readonly _def: {
        readonly $types: unknown;
    } | {
        readonly _input_in: unknown;
    };
}

export interface TypedRoute {
    readonly method: string;
    readonly path: string;
    readonly responses: object;
}

export interface TypedServer<Tools> {
    readonly "~tools"?: Tools;
}

export type BodyOf<Route> = Route extends {
    readonly body: infer Schema extends object;
} ? unknown extends InferInput<Schema> ? {
    readonly body?: unknown;
} : {
    readonly body: JsonInput<InferInput<Schema>>;
} : unknown;

export type Children<Router> = Router extends {
    readonly _def: {
        readonly record: infer Record;
    };
} ? Record : Router;

export type CreateFunction = (params: never, options?: never) => unknown;

export type Decided = (typeof DECIDED)[number];

export type ElicitCallback<Session> = (params: ElicitRequestParams, context: QuestionContext<Session>) => MaybePromise<ElicitResult | ErrorData>;

export type FetchInit = HttpRequestInit & typeof FETCH_SETTINGS;

export type FromJsonSchema<S> = S extends false ? never : S extends {
    readonly const: infer C;
} ? Mutable<C> : S extends {
    readonly enum: readonly (infer E)[];
} ? Mutable<E> : S extends {
    readonly type: infer T;
} ? OfType<T extends readonly (infer One)[] ? One : T, S> : S extends {
    readonly anyOf: readonly (infer B)[];
} | {
    readonly oneOf: readonly (infer B)[];
} ? FromJsonSchema<B> : unknown;

export type Given<Input> = Exclude<Input, undefined extends Input ? undefined | void | null : void>;

export type HeaderNames = ReadonlyMap<string, string>;

export type HttpBody = string | readonly (string | JsonText)[] | EventStream;

export type InputIn<Route, Part extends string> = Route extends {
    readonly [Key in Part]: infer Schema extends object;
} ? unknown extends InferInput<Schema> ? unknown : JsonInput<InferInput<Schema>> : unknown;

export type InputOf<Schema> = unknown extends InferInput<NonNullable<Schema>> ? undefined : InferInput<NonNullable<Schema>>;

export type IsObject<T> = [T] extends [object] ? ([T] extends [readonly unknown[] | Date | Blob] ? false : true) : false;

export type Kind = FeatureKind;

export type Known<T> = T extends Marker ? undefined : T;

export type Marker = {
    readonly _brand: "unset";
} | symbol;

export type MethodKind = "request" | "notification" | "input";

export type MethodScopes = Readonly<Record<string, readonly string[]>>;

export type NodeAt<Router, Path extends string> = Path extends `${infer Head}.${infer Rest}` ? Head extends keyof Router ? NodeAt<Children<Router[Head]>, Rest> : never : Path extends keyof Router ? Router[Path] : never;

export type OAuthErrorCode = "access_denied" | "authorization_pending" | "expired_token" | "invalid_client" | "invalid_client_metadata" | "invalid_dpop_proof" | "invalid_grant" | "invalid_redirect_uri" | "invalid_request" | "invalid_scope" | "invalid_target" | "server_error" | "slow_down" | "temporarily_unavailable" | "unauthorized_client" | "unsupported_grant_type" | "unsupported_response_type" | "unsupported_token_type" | "use_dpop_nonce";

export type OnNotification = (method: string, params: JsonObject | undefined) => MaybePromise<void>;

export type OnRequest = (request: InboundRequest) => MaybePromise<RawResult>;

export type OutputsOf<Responses> = {
    [Status in keyof Responses & Success]: Responses[Status] extends object ? InferOutput<Responses[Status]> : unknown;
}[keyof Responses & Success];

export type ParametersOf<Route> = Route extends {
    readonly pathParams: object;
} ? InputIn<Route, "pathParams"> : Route extends {
    readonly path: infer Path;
} ? Variables<Path> : unknown;

export type PathsOf<Router, Leaf, Prefix extends string = ""> = {
    [Key in keyof Router & string]: Router[Key] extends Leaf ? `${Prefix}${Key}` : Router[Key] extends object ? PathsOf<Children<Router[Key]>, Leaf, `${Prefix}${Key}.`> : never;
}[keyof Router & string];

export type RawResult = JsonObject | JsonText;

export type RootsCallback<Session> = readonly Root[] | ((context: QuestionContext<Session>) => MaybePromise<readonly Root[] | ErrorData>);

export type RootsListener = (session: ServerSession) => MaybePromise<void>;

export type SampleCallback<Session> = (params: CreateMessageRequestParams, context: QuestionContext<Session>) => MaybePromise<CreateMessageResult | CreateMessageResultWithTools | ErrorData>;

export type SampleWithoutTools = CreateMessageRequestParams & {
    tools?: undefined;
    toolChoice?: undefined;
};

export type SchemaOf<Def, Member extends "inputSchema" | "outputSchema"> = Def extends {
    readonly [Key in `__T${Capitalize<Member>}`]?: {
        type: infer Schema;
    };
} ? Schema : Def extends {
    readonly [Key in Member]?: infer Schema;
} ? Schema : never;

export type Scope = readonly string[];

export type Sender = "client" | "server";

export type SignatureOf<Node> = Node extends {
    readonly "~orpc": infer Def;
} ? ToolSignature<ArgumentsOf<InputOf<SchemaOf<Def, "inputSchema">>>, DataOf<InferOutput<NonNullable<SchemaOf<Def, "outputSchema">>>>> : never;

export type SignatureOf<Node> = Node extends {
    readonly _def: {
        readonly $types: {
            readonly input: infer Input;
            readonly output: infer Output;
        };
    };
} ? ToolSignature<ArgumentsOf<Input>, DataOf<Output>> : Node extends {
    readonly _def: {
        readonly _input_in: infer Input;
        readonly _output_out: infer Output;
    };
} ? ToolSignature<ArgumentsOf<Known<Input>>, DataOf<Known<Output>>> : never;

export type SignatureOf<Route> = Route extends TypedRoute ? ToolSignature<ParametersOf<Route> & InputIn<Route, "query"> & BodyOf<Route>, DataOf<Json<OutputsOf<Route["responses"]>>>> : never;

export type StatefulVersion = (typeof STATEFUL_VERSIONS)[number];

export type StatelessMethod = "sampling" | "list_roots" | "elicitation";

export type StatelessVersion = (typeof STATELESS_VERSIONS)[number];

export type StepWork<T> = (step: Step) => MaybePromise<T>;

export type Success = 200 | 201 | 202 | 203 | 206;

export type TemplateMatch = Record<string, string | string[]>;

export type TemplateVariableNames<Template extends string> = Extract<keyof TemplateVariables<Template>, string>;

export type TemplateVariables<Template extends string> = string extends Template ? TemplateMatch : Flat<VariablesIn<Template>>;

export type Timer = unknown;

export type ToolData = object & {
    readonly content?: Primitive | NoList;
    readonly then?: Primitive | NoFunction;
};

export type UnusedOption = "onElicit" | "elicitationModes" | "elicitationSchemes" | "onSample" | "samplingCapabilities" | "roots" | "onLog" | "onMessage" | "validateOutput" | "validator" | "reconnect";

export type Validation<T = unknown> = {
    readonly value: T;
    readonly issues?: undefined;
} | {
    readonly issues: readonly SchemaIssue[];
};

export type Variables<Path> = Path extends `${string}:${infer Name}/${infer Rest}` ? {
    readonly [Key in Name]: string;
} & Variables<`/${Rest}`> : Path extends `${string}:${infer Name}` ? {
    readonly [Key in Name]: string;
} : unknown;

export type WholeSchemas<Schemas> = {
    readonly [Option in keyof Schemas]?: WholeSchema<Schemas[Option]>;
};

interface Callable {
    callTool(name: string, args?: JsonObject, options?: ToolCallOptions): Promise<ToolResult>;
    readResource(uri: string, options?: {
        signal?: AbortSignal;
    }): Promise<ReadResourceResult>;
}

interface Execution {
    readonly toolCallId: string;
    readonly abortSignal?: AbortSignal | undefined;
}

interface LoginProviderBase {
    readonly clientId: string;
    readonly clientSecret?: string;
    readonly name?: string;
    readonly scopes?: readonly string[];
    readonly parameters?: Readonly<Record<string, string>>;
}

interface Named {
    readonly name: string;
    readonly title?: string | undefined;
    readonly annotations?: object | undefined;
}

interface PgliteQueries {
    query(text: string, params?: unknown[]): Promise<{
        rows: unknown[];
    }>;
}

interface Scalars {
    string: string;
    number: number;
    integer: number;
    boolean: boolean;
    null: null;
}

interface TaskResults {
    "elicitation/create": ElicitResult;
    "sampling/createMessage": CreateMessageResultWithTools;
}

type Args<Input> = Input extends AnySchema ? InferInput<Input> : JsonObject;

type ArgsOf<Tools, Name> = Name extends keyof Tools ? (Tools[Name] extends ToolSignature<infer Args> ? Args : JsonObject) : JsonObject;

type ArgumentsIn<Change> = Change extends {
    readonly arguments: infer Changes;
} ? Changes : unknown;

type ArgumentsOf<Tools, Name> = Name extends keyof Tools ? (Tools[Name] extends ToolSignature<infer Args> ? Args : JsonObject) : JsonObject;

type ArrayOf<S> = S extends {
    readonly prefixItems: unknown;
} | {
    readonly items: readonly unknown[];
} ? unknown[] : S extends {
    readonly items: infer I;
} ? FromJsonSchema<I>[] : unknown[];

type AskMethod = "sampling/createMessage" | "roots/list" | "elicitation/create";

type Block = {
    annotations?: Annotations;
    _meta?: Meta;
};

type ClientNotificationMethod = SharedNotification | "notifications/initialized" | "notifications/roots/list_changed";

type Data<Output, Returned> = Output extends AnySchema ? InferOutput<Output> extends object ? InferOutput<Output> : unknown : Returned extends string ? string : unknown;

type DataOf<Tools, Name> = Name extends keyof Tools ? (Tools[Name] extends ToolSignature<unknown, infer Data> ? Data : unknown) : unknown;

type Field = {
    title?: string;
    description?: string;
};

type FieldValue = string | number | bigint | boolean | symbol | null | undefined | readonly string[];

type Flat<T> = {
    [K in keyof T]: T[K];
};

type Flat<T> = {
    [K in keyof T]: T[K];
};

type Flat<T> = {
    [K in keyof T]: T[K];
};

type InExpression<E extends string> = E extends `${"?" | "&"}${infer List}` ? Partial<InList<List>> : E extends `${"+" | "#" | "." | "/" | ";"}${infer List}` ? InList<List> : InList<E>;

type InList<L extends string> = L extends `${infer First},${infer Rest}` ? InSpec<First> & InList<Rest> : InSpec<L>;

type InSpec<S extends string> = S extends `${infer Name}*` ? {
    [K in Name]: string[];
} : S extends `${infer Name}:${string}` ? {
    [K in Name]: string;
} : {
    [K in S]: string;
};

type Included<Signatures, Options> = Options extends {
    readonly include: readonly (infer Path)[];
} ? keyof Signatures & Path : keyof Signatures;

type Intersection<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer I) => void ? I : never;

type Item = SessionMessage | Error;

type MountedNames<Mounts> = {
    [Prefix in keyof Mounts & string]: `${Prefix}__${PlainNames<ToolsOf<Mounts[Prefix]>>}`;
}[keyof Mounts & string];

type MountedTool<Mounts, Name> = Name extends `${infer Prefix}__${infer Tool}` ? Prefix extends keyof Mounts ? Tool extends keyof ToolsOf<Mounts[Prefix]> ? ToolsOf<Mounts[Prefix]>[Tool] : never : never : never;

type MultiSelect = Field & {
    type: "array";
    minItems?: number;
    maxItems?: number;
    default?: readonly string[];
};

type Mutable<T> = T extends object ? {
    -readonly [K in keyof T]: Mutable<T[K]>;
} : T;

type NameAfter<Name, Changes> = Name extends keyof Changes ? Changes[Name] extends {
    readonly name: infer New extends string;
} ? New : Name : Name;

type NameOf<Path extends string> = Path extends `${infer Head}.${infer Rest}` ? `${Head}_${NameOf<Rest>}` : Path;

type NestedFields<Answer> = Answer extends object ? {
    [Name in keyof Answer]-?: unknown extends Answer[Name] ? never : Answer[Name] extends FieldValue ? never : Name;
}[keyof Answer] : never;

type NoFunction = (JsonObject | object) & {
    readonly apply?: undefined;
};

type NoList = (JsonObject | object) & {
    readonly [Symbol.iterator]?: "a list named content makes this a result: it has to be a CallToolResult";
};

type ObjectOf<S> = S extends {
    readonly properties: infer P;
} ? Flat<{
    -readonly [K in keyof P as K extends RequiredOf<S> ? K : never]: FromJsonSchema<P[K]>;
} & {
    -readonly [K in keyof P as K extends RequiredOf<S> ? never : K]?: FromJsonSchema<P[K]>;
}> : S extends {
    readonly patternProperties: unknown;
} ? {
    [key: string]: unknown;
} : S extends {
    readonly additionalProperties: infer A;
} ? {
    [key: string]: FromJsonSchema<A>;
} : {
    [key: string]: unknown;
};

type OfCall<Input, Result> = {
    of(input: Input, context: RequestContext): Result;
}["of"];

type OfType<T, S> = T extends keyof Scalars ? Scalars[T] : T extends "array" ? ArrayOf<S> : T extends "object" ? ObjectOf<S> : unknown;

type OutputIn<Change> = Change extends {
    readonly output: infer Output;
} ? Output : undefined;

type PlainNames<Tools> = Exclude<keyof Tools & string, `${string}.${string}`>;

type Primitive = string | number | boolean | bigint | null | undefined;

type Propagator = Pick<TextMapPropagator, "inject" | "extract">;

type RequiredOf<S> = S extends {
    readonly required: readonly (infer K)[];
} ? K : never;

type ReturnedIn<Change> = Change extends {
    readonly result: (...given: never) => MaybePromise<infer Returned>;
} ? Returned : never;

type SharedNotification = "notifications/cancelled" | "notifications/progress" | "notifications/tasks/status";

type TaskMethod = "tasks/get" | "tasks/result" | "tasks/cancel" | "tasks/list";

type ToolAfter<Tool, Change> = Tool extends ToolDefinition<infer Args, infer Data, infer Lifespan> ? ToolDefinition<ArgumentsAfter<Args, ArgumentsIn<Change>>, DataAfter<Data, OutputIn<Change>, ReturnedIn<Change>>, Lifespan> : never;

type UrlElicitation = Omit<ElicitRequestURLParams, "mode"> & Partial<Pick<ElicitRequestURLParams, "mode">>;

type VariablesIn<T extends string> = T extends `${string}{${infer E}}${infer Rest}` ? InExpression<E> & VariablesIn<Rest> : unknown;

type WholeSchema<S> = S extends StandardSchema ? unknown : [Extract<S[keyof S], StandardSchema>] extends [never] ? unknown : "Wrap these members in z.object({ … }), or in the object schema of your library";

type With<Changes, Member extends string> = {
    [Name in keyof Changes]: Changes[Name] extends {
        readonly [K in Member]: unknown;
    } ? Name : never;
}[keyof Changes];

type WrongResult<M extends RequestMethod, Result> = Result extends unknown ? string extends keyof Result ? never : Exclude<Result, ResultOf<M>> : never;
