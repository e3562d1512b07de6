// What tenon/compat/python exports. Made by: npm run api -- --update

export { SessionSource } from "tenon";
export { nextTaskRequestId } from "tenon";

export declare class BaseSession implements AsyncDisposable {
    readonly closed: Promise<void>;
    constructor(source: SessionSource, options?: BaseSessionOptions);
    connect(): Promise<this>;
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
    get incoming(): AsyncIterable<SessionIncoming>;
    addResponseRouter(router: ResponseRouter): Disposable;
    sendRaw(message: JSONRPCMessage): Promise<void>;
    request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject>;
    notify(method: string, params?: JsonObject): Promise<void>;
    sendProgress(params: ProgressNotificationParams): Promise<void>;
}

export interface BaseSessionOptions extends JsonRpcDispatcherOptions {
    checkRequest?: (method: string, params: JsonObject) => JsonObject;
    checkNotification?: (method: string, params: JsonObject) => JsonObject;
    onRequest?: (request: RequestResponder<SessionRequest>) => MaybePromise<void>;
    onNotification?: (notification: JSONRPCNotification) => MaybePromise<void>;
    onMessage?: (message: SessionIncoming) => MaybePromise<void>;
    onError?: (error: Error) => void;
}

export interface BuildRequestOptions {
    readonly id?: RequestId;
    readonly relatedTaskId?: string;
    readonly task?: TaskMetadata;
}

export interface ClientMessageMetadata {
    readonly kind: "client";
    readonly resumptionToken?: string;
    readonly onResumptionToken?: (token: string) => MaybePromise<void>;
    readonly headers?: Readonly<Record<string, string>>;
}

export interface ContextWriter extends MessageWriter {
    send(item: Item): Promise<void>;
}

export type MessageMetadata = ClientMessageMetadata | ServerMessageMetadata;

export interface MessageReader extends AsyncIterable<SessionMessage | Error>, AsyncDisposable {
    readonly lastContext?: RunInContext | undefined;
}

export interface MessageWriter extends AsyncDisposable {
    send(item: SessionMessage): Promise<void>;
}

export declare class RequestResponder<Request = unknown, Response extends JsonObject = JsonObject> implements Disposable {
    readonly requestId: RequestId;
    readonly requestMeta: RequestMeta | undefined;
    readonly request: Request;
    readonly messageMetadata: MessageMetadata | undefined;
    readonly context: RunInContext | undefined;
    readonly outbound: Outbound | undefined;
    constructor(options: RequestResponderOptions<Request>);
    enter(): this;
    get signal(): AbortSignal;
    get inFlight(): boolean;
    get cancelled(): boolean;
    respond(response: Response | ErrorData): Promise<void>;
    cancel(reason?: string): Promise<void>;
    [Symbol.dispose](): void;
}

export interface RequestResponderOptions<Request> {
    readonly requestId: RequestId;
    readonly requestMeta?: RequestMeta | undefined;
    readonly request: Request;
    readonly session: ResponseSender;
    readonly onComplete?: (responder: RequestResponder<Request>) => void;
    readonly messageMetadata?: MessageMetadata | undefined;
    readonly context?: RunInContext | undefined;
    readonly signal?: AbortSignal;
    readonly outbound?: Outbound;
}

export interface ResponseRouter {
    routeResponse(requestId: RequestId, result: JsonObject): boolean;
    routeError(requestId: RequestId, error: ErrorData): boolean;
}

export interface ResponseSender {
    sendResponse(requestId: RequestId, response: JsonObject | ErrorData): MaybePromise<void>;
}

export type RunInContext = <T>(fn: () => T) => T;

export interface ServerMessageMetadata {
    readonly kind: "server";
    readonly relatedRequestId?: RequestId;
    readonly request?: unknown;
    readonly canSendRequest?: boolean;
    readonly closeSseStream?: () => MaybePromise<void>;
    readonly closeStandaloneSseStream?: () => MaybePromise<void>;
    readonly onRequestUnanswered?: () => MaybePromise<void>;
}

export type SessionIncoming = RequestResponder<SessionRequest> | JSONRPCNotification | Error;

export interface SessionMessage {
    message: JSONRPCMessage;
    metadata?: MessageMetadata;
}

export interface SessionRequest {
    readonly method: string;
    readonly params: JsonObject;
}

export declare class StreamTransport implements Transport {
    readonly kind = "streams";
    constructor(streams: TransportStreams);
    get lastMetadata(): MessageMetadata | undefined;
    get lastContext(): RunInContext | undefined;
    send(message: Outgoing, options?: SendOptions): Promise<void>;
    receive(): Promise<Incoming>;
    close(): Promise<void>;
}

export interface TransportStreams {
    readonly read: MessageReader;
    readonly write: MessageWriter;
}

export declare function assertSamplingTools(capabilities: ClientCapabilities | undefined, { tools, toolChoice }: Pick<CreateMessageRequestParams, "tools" | "toolChoice">): void;

export declare function assertToolResultBalance(messages: readonly SamplingMessage[]): void;

export declare function buildCreateMessageRequest(params: Omit<CreateMessageRequestParams, "task">, options?: BuildRequestOptions): JSONRPCRequest;

export declare function buildElicitFormRequest(params: Omit<ElicitRequestFormParams, "mode" | "task">, options?: BuildRequestOptions): JSONRPCRequest;

export declare function buildElicitUrlRequest(params: Omit<ElicitRequestURLParams, "mode" | "task">, options?: Omit<BuildRequestOptions, "task">): JSONRPCRequest;

export declare function createContextStreams(capacity?: number): [write: ContextWriter, read: MessageReader];

export declare function supportsSamplingTools(capabilities?: ClientCapabilities): boolean;

export declare function toStreams(transport: Transport): TransportStreams & AsyncDisposable;
