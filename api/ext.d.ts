// What tenon/ext exports. Made by: npm run api -- --update

export interface ClientHalf {
    middleware?<C extends OutboundContext>(next: Handler<C>): Handler<C>;
    answering?<C extends InboundContext>(next: Handler<C>): Handler<C>;
    onNotification?(method: string, params: JsonObject): void;
    task?(taskId: string): RemoteTask;
}

export interface ClientHost {
    readonly codec: Codec;
    readonly identity: ClientIdentity;
    readonly serverCapabilities: ServerCapabilities;
    readonly clock: Clock;
    readonly maxInFlight: number;
    readonly ended: AbortSignal;
    request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject>;
    notify(method: string, params?: JsonObject): Promise<void>;
    answer(question: InputRequest, context: Pick<InboundContext, "requestId" | "signal">): Promise<InputResponse>;
    subscribe(listener: (method: string, params: JsonObject) => void): () => void;
    readonly report: (error: unknown) => void;
}

export interface Codec extends CodecFacts {
    readonly version: ProtocolVersion;
    readonly stateless: boolean;
    hasRequest(method: string, sender: Sender): boolean;
    hasNotification(method: string, sender: Sender): boolean;
    decodeParams(method: string, params: JsonObject | undefined, reading?: Reading): JsonObject;
    decodeIdentity(params: JsonObject | undefined, reading?: Reading): ClientIdentity | undefined;
    decodeResult(method: string, result: JsonObject, extensionTypes?: ReadonlySet<string>, reading?: Reading): JsonObject;
    tidyResult(method: string, result: JsonObject, reading: Reading): JsonObject;
    encodeParams(method: string, params: JsonObject | undefined): JsonObject | undefined;
    encodeRequest(method: string, params: JsonObject | undefined, from: ClientIdentity): JsonObject | undefined;
    encodeResult(method: string, result: JsonObject, options?: EncodeResultOptions): JsonObject;
    encodeError(error: McpError): ErrorData;
    encodeClientCapabilities(capabilities: ClientCapabilities): ClientCapabilities;
    encodeImplementation(info: Implementation): Implementation;
}

export interface Extension {
    readonly id: string;
}

export interface ExtensionDefinition {
    readonly id: string;
    readonly settings?: JsonObject;
    readonly since?: ProtocolVersion;
    readonly methods?: readonly MethodRow[];
    readonly answers?: readonly string[];
    readonly notifications?: readonly string[];
    readonly resultTypes?: Readonly<Record<string, readonly string[]>>;
    readonly headerNames?: Readonly<Record<string, string>>;
    readonly listenFilters?: readonly string[];
    readonly capabilityGate?: (client: ClientCapabilities) => ClientCapabilities | undefined;
    readonly clientCapabilities?: (declared: ClientCapabilities) => ClientCapabilities;
    readonly server?: (host: ServerHost) => ServerHalf;
    readonly client?: (host: ClientHost) => ClientHalf;
}

export interface InboundContext extends HandlerContext {
    readonly requestId: RequestId;
    readonly meta: RequestMeta | undefined;
}

export interface ListenExtension {
    readonly honoured: SubscriptionFilter;
    begin(notify: (method: string, params: JsonObject) => void): () => void;
}

export interface MethodRow {
    readonly method: string;
    readonly kind: MethodKind;
    readonly sender: "client" | "server" | "both";
    readonly since?: ProtocolVersion;
    readonly until?: ProtocolVersion;
    readonly capability?: string;
    readonly httpName?: "name" | "uri";
    readonly cacheable?: boolean;
    readonly mayAsk?: boolean;
    readonly staysOpen?: boolean;
}

export interface OutboundContext extends HandlerContext {
    readonly options: RequestOptions;
}

export interface Reading {
    readonly strict: boolean;
    deviated(deviation: Deviation): void;
}

export type RunTool = (context: RequestContext) => MaybePromise<CallToolResult>;

export interface ServerHalf {
    readonly capabilities?: ServerCapabilities;
    readonly handlers?: Readonly<Record<string, Handler<RequestContext>>>;
    tool?(name: string, options: object): ToolExtension | undefined;
    listen?(context: RequestContext, wanted: SubscriptionFilter): MaybePromise<ListenExtension>;
    begin?(): void;
    close?(): MaybePromise<void>;
}

export interface ServerHost {
    readonly clock: Clock;
    readonly lifespan: unknown;
    use(method: string, middleware: Middleware<RequestContext>): unknown;
    resource(uri: string, options: {
        readonly name: string;
        readonly description?: string;
        readonly mimeType?: string;
        readonly _meta?: JsonObject;
    }, read: (uri: string) => MaybePromise<JsonObject | undefined>): {
        remove(): void;
    };
    resourceUpdated(uri: string): void;
    run(context: RequestContext): MaybePromise<JsonObject>;
    recover(error: unknown, context: RequestContext): JsonObject | undefined;
    clean<T>(value: T, principal: string | undefined): T;
    report(error: unknown, method: string): void;
    toMcpError(error: unknown, method: string): McpError;
}

export interface ToolExtension {
    readonly listed?: JsonObject;
    call(context: RequestContext, run: RunTool): MaybePromise<CallToolResult>;
}

export declare function defineExtension(definition: ExtensionDefinition): Extension;
