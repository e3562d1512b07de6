// What tenon/node exports. Made by: npm run api -- --update

export type ByteStreams = (Readable & Writable) | {
    readonly input: Readable;
    readonly output: Writable;
};

export interface ConfigProblem {
    readonly server?: string;
    readonly field?: string;
    readonly line?: number;
    readonly message: string;
}

export interface DemandedFile {
    readonly written: string;
    readonly path: string;
    readonly isOutside: boolean;
}

export interface ElicitInBrowserOptions {
    server?: string;
    port?: number;
    open?: (url: URL) => void | Promise<void>;
    write?: (line: string) => void;
}

export interface ElicitInTerminalOptions {
    server?: string;
    prompt?: (label: string, signal: AbortSignal) => Promise<string | undefined>;
    write?: (line: string) => void;
    open?: (url: URL) => void | Promise<void>;
}

export interface EntryDemand {
    readonly server: string | undefined;
    readonly program: JsonObject | undefined;
    readonly variables: readonly string[];
    readonly files: readonly DemandedFile[];
    readonly written: readonly DemandedFile[];
    readonly origins: readonly string[];
    readonly digest: string;
}

export interface FileStoreOptions {
    readonly directory?: string;
    readonly key?: Uint8Array;
}

export interface HttpEndpoint extends AsyncDisposable {
    readonly url: string;
    readonly port: number;
    readonly socket?: string;
    drain(ms?: number): Promise<void>;
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}

export interface HttpServerConfig extends HttpServerParameters {
    type: "http" | "sse";
}

export interface HttpTimeouts {
    headers?: number;
    request?: number;
    keepAlive?: number;
}

export interface JsonLines extends AsyncDisposable {
    readonly write: (record: object) => void;
    readonly dropped: number;
    close(): Promise<void>;
}

export interface JsonLinesOptions {
    maxQueued?: number;
    onError?: (error: Error) => void;
}

export interface LoadConfigOptions {
    env?: {
        readonly [name: string]: string | undefined;
    };
    variables?: {
        readonly [name: string]: string;
    };
    folder?: string;
    onFile?: (path: string) => void;
    onWarning?: (message: string) => void;
    consent?: (demand: EntryDemand) => MaybePromise<boolean>;
}

export interface NodeEndpointAuth extends EndpointAuth {
    handle?(request: IncomingMessage, response: ServerResponse): boolean;
}

export interface NodeHandler {
    (request: IncomingMessage, response: ServerResponse, body?: unknown): void;
    drain(ms?: number): Promise<void>;
    close(): Promise<void>;
}

export interface NodeHttpLimits extends HttpLimits {
    minBodyRate: number;
}

export interface NodeHttpOptions extends HttpOptions {
    clientAddress?: ClientAddress<IncomingMessage>;
    limits?: Partial<NodeHttpLimits>;
}

export interface ProgramLimits {
    maxLineBytes: number;
    maxQueuedBytes: number;
    maxUnreadBytes: number;
}

export interface ProgramTimeouts extends ShutdownTimeouts {
    start?: number;
}

export declare class ProxyError extends Error {
    name: string;
    readonly code: string | undefined;
}

export interface ServeHttpOptions extends NodeHttpOptions {
    auth?: NodeEndpointAuth;
    handle?: (request: IncomingMessage, response: ServerResponse) => boolean;
    port?: number;
    host?: string;
    socket?: string;
    socketMode?: number;
    path?: string;
    health?: boolean;
    drainDelay?: number;
    timeouts?: HttpTimeouts;
    workers?: "all" | number;
}

export interface ServeStdioOptions extends Partial<CallTimes> {
    stdin?: Readable;
    stdout?: Writable;
    guardStdout?: boolean;
    exit?: boolean;
    signal?: AbortSignal;
    drain?: number;
    cancelListens?: boolean;
    limits?: Partial<ConnectionLimits & StdioLimits>;
    onError?: (error: Error) => void;
}

export type ServerConfig = StdioServerConfig | HttpServerConfig;

export declare class ServerConfigError extends Error {
    name: string;
    readonly file: string;
    readonly problems: readonly ConfigProblem[];
}

export interface ServerConfigs {
    [name: string]: ServerConfig;
}

export interface ServerProcess extends Transport {
    readonly pid: number;
    readonly started: Promise<void>;
    readonly hasWritten: boolean;
    readonly stderrTail: string;
}

export interface ShutdownTimeouts {
    flush?: number;
    exit?: number;
    terminate?: number;
    reap?: number;
}

export interface SpawnServerOptions {
    signal?: AbortSignal;
    onError?: (error: Error) => void;
}

export interface StdioLimits {
    maxLineBytes: number;
    maxMessageBytes: number;
    maxQueuedBytes: number;
    maxUnreadBytes: number;
}

export interface StdioServerConfig extends StdioServerParameters {
    type: "stdio";
}

export interface StdioServerParameters {
    command: string;
    args?: readonly string[];
    env?: Readonly<Record<string, string>>;
    cwd?: string | URL;
    stderr?: "inherit" | "ignore" | "pipe" | TextSink;
    timeouts?: ProgramTimeouts;
    limits?: Partial<ProgramLimits>;
    killTree?: "always" | "escalation";
}

export declare class StdioTransport implements Transport {
    readonly kind = "stdio";
    constructor(options?: StdioTransportOptions);
    send(message: Outgoing): MaybePromise<void>;
    writeNow(): void;
    receive(): MaybePromise<Incoming>;
    receiveAll(take: (incoming: Incoming) => MaybePromise<void>): Promise<never>;
    ending(): void;
    close(reason?: unknown): Promise<void>;
}

export interface StdioTransportOptions {
    input?: Readable | undefined;
    output?: Writable | undefined;
    limits?: Partial<StdioLimits>;
    flushTimeout?: number;
    onError?: (error: Error) => void;
}

export interface TextSink {
    write(chunk: Uint8Array): unknown;
}

export declare function elicitInBrowser(options?: ElicitInBrowserOptions): ElicitHandler;

export declare function elicitInTerminal(options?: ElicitInTerminalOptions): ElicitHandler;

export declare function fileStore(options?: FileStoreOptions): AuthStore;

export declare function getDefaultEnvironment(): Record<string, string>;

export declare function loadConfig(source: string | URL | object, options?: LoadConfigOptions): Promise<ServerConfigs>;

export declare const nodeFetch: Fetch;

export declare function openBrowser(url: URL): Promise<void>;

export declare function openJsonLines(path: string, options?: JsonLinesOptions): JsonLines;

export declare const proxyFetch: Fetch;

export declare function resolveInside(root: string, path: string): Promise<string>;

export declare function serveHttp(given: Servable, options?: ServeHttpOptions): Promise<HttpEndpoint>;

export declare function serveStdio(given: Servable, options?: ServeStdioOptions): Promise<void>;

export declare function socketFetch(path: string): Fetch;

export declare function socketTransport(streams: ByteStreams, limits?: Partial<StdioLimits>): Transport;

export declare function spawnServer(parameters: StdioServerParameters, options?: SpawnServerOptions): Promise<ServerProcess>;

export declare function toNodeHandler(given: Servable, options?: NodeHttpOptions): NodeHandler;
