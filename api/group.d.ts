// What tenon/group exports. Made by: npm run api -- --update

export { Deviation } from "tenon";
export { DeviationKind } from "tenon";

export declare class ClientSessionGroup implements AsyncDisposable, FeatureSource {
    constructor(options?: GroupOptions);
    static connect(servers: ServerEntries, options?: GroupOptions & {
        signal?: AbortSignal;
    }): Promise<ClientSessionGroup>;
    get sessions(): readonly GroupSession[];
    get servers(): ReadonlyMap<string, ServerStatus>;
    get tools(): ReadonlyMap<string, Tool>;
    get heldTools(): ReadonlyMap<string, Tool>;
    get heldDefinitions(): ReadonlyMap<string, HeldDefinition>;
    get instructions(): ReadonlyMap<string, string>;
    get toolPins(): ReadonlyMap<string, string>;
    get prompts(): ReadonlyMap<string, Prompt>;
    get resources(): ReadonlyMap<string, Resource>;
    get resourceTemplates(): ReadonlyMap<string, ResourceTemplate>;
    approveTool(name: string, tool: Tool): Promise<void>;
    approve(key: string, definition: JsonObject): Promise<void>;
    onChange(listener: (change: GroupChange) => void): () => void;
    entries(kind: FeatureKind): Iterable<Feature>;
    find(kind: FeatureKind, id: string): Feature | undefined;
    onFeatureChange(listener: (change: FeatureChange) => void): () => void;
    refresh(before: "list" | "refusal"): Promise<unknown> | undefined;
    sendRootsListChanged(): Promise<void>;
    rootsChanged(session: ServerSession): Promise<void>;
    add(servers: ServerEntries): Promise<void>;
    settled(): Promise<void>;
    connectToServer(server: ServerEntry, options?: ServerOptions & {
        name?: string;
        signal?: AbortSignal;
    }): Promise<Client>;
    connectWithSession<Session extends GroupSession>(serverInfo: Implementation, session: Session, options?: {
        name?: string;
    }): Promise<Session>;
    reconnect(server: string): Promise<GroupSession>;
    disconnect(server: GroupSession | string, { drain }?: {
        drain?: number;
    }): Promise<void>;
    callTool<Data = unknown>(name: string, args?: JsonObject, options?: ToolCallOptions): Promise<ToolResult<Data>>;
    getPrompt(name: string, args?: {
        [name: string]: string;
    }, options?: CallOptions): Promise<GetPromptResult>;
    readResource(name: string, options?: ResourceCallOptions): Promise<ReadResourceResult>;
    subscribeResource(name: string, options?: {
        server?: string;
    }): Promise<void>;
    unsubscribeResource(name: string, options?: {
        server?: string;
    }): Promise<void>;
    complete(params: CompleteRequestParams, options?: ResourceCallOptions): Promise<CompleteResult>;
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}

export type ComponentKind = Exclude<Kind, "template"> | "resourceTemplate";

export type ComponentList = "prompts" | "resources" | "resourceTemplates" | "tools";

export declare class DefinitionChangedError extends McpError {
    name: string;
    readonly tool: string;
    readonly server: string;
}

export interface GroupCallbacks {
    onElicit?: (params: ElicitRequestParams, context: GroupRequestContext) => MaybePromise<ElicitResult | ErrorData>;
    onSample?: (params: CreateMessageRequestParams, context: GroupRequestContext) => MaybePromise<CreateMessageResult | CreateMessageResultWithTools | ErrorData>;
    roots?: readonly Root[] | ((context: GroupRequestContext) => MaybePromise<readonly Root[] | ErrorData>);
    onLog?: (message: LoggingMessageNotificationParams, server: string) => MaybePromise<void>;
    onMessage?: (message: ServerMessage, server: string) => MaybePromise<void>;
    onDeviation?: (deviation: Deviation, server: string) => void;
}

export type GroupChange =
({
    readonly kind: "list";
    readonly server: string;
} & ListDifference)
 | {
    readonly kind: "resource";
    readonly server: string;
    readonly name: string;
    readonly uri: string;
}
 | {
    readonly kind: "server";
    readonly server: string;
    readonly state: ServerState;
};

export interface GroupLimits extends ListLimits {
    maxServers: number;
}

export interface GroupOptions extends Omit<ServerOptions, "auth" | "limits">, GroupListeners, Partial<GroupTimes>, Pick<ConnectOptions, "clock"> {
    limits?: Partial<GroupLimits & ClientLimits>;
    nameHook?: NameHook;
    pinTools?: boolean | ToolPins;
    stack?: {
        defer(dispose: () => Promise<void>): void;
    };
}

export interface GroupRequestContext extends ServerRequestContext {
    readonly server: string;
}

export type GroupSession = ClientSession;

export interface GroupTimes {
    readyTimeout: number;
    connectTimeout: number;
}

export interface HeldDefinition {
    readonly server: string;
    readonly kind: PinnedKind;
    readonly definition: JsonObject;
}

export interface ListDifference {
    readonly list: ComponentList;
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
}

export type NameHook = (name: string, server: Implementation, kind: ComponentKind, serverName: string) => string;

export type PinnedKind = "tool" | "prompt" | "resource" | "page" | "instructions";

export interface ResourceCallOptions extends CallOptions {
    server?: string;
}

export interface ServerEntries {
    readonly [name: string]: ServerEntry;
}

export type ServerEntry = TargetSource | TargetEntry | StdioEntry | HttpEntry;

export interface ServerOptions extends Omit<ConnectOptions, keyof GroupCallbacks | "onError" | "clock" | "signal">, GroupCallbacks {
    connectTimeout?: number;
    reconnect?: boolean;
}

export type ServerState = "connecting" | "connected" | "waiting" | "broken" | "closed";

export interface ServerStatus {
    readonly name: string;
    readonly state: ServerState;
    readonly since: Date;
    readonly error: Error | undefined;
    readonly failures: number;
    readonly session: GroupSession | undefined;
    readonly serverInfo: Implementation | undefined;
}

export declare class ServerUnavailableError extends McpError {
    name: string;
    readonly server: string;
    readonly state: ServerState;
}

export type TargetSource = Target | (() => MaybePromise<Target>);

export type ToolPins = Iterable<readonly [name: string, digest: string]>;
