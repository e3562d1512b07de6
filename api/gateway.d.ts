// What tenon/gateway exports. Made by: npm run api -- --update

export { Deviation } from "tenon";
export { DeviationKind } from "tenon";

export { PinnedKind } from "tenon/group";

export { AuditOptions } from "tenon/middleware";
export { AuditOutcome } from "tenon/middleware";
export { AuditRecord } from "tenon/middleware";
export { Redact } from "tenon/middleware";

export { BrowserIdentityOptions } from "tenon/pages";

export { SpillOptions } from "tenon/server";
export { ToolSearchOptions } from "tenon/server";

export declare class CallerAuth {
}

export interface CallerHttpEntry extends Omit<HttpEntry, "auth" | UnusedOption> {
    auth: CallerAuth;
}

export interface CallerTargetEntry extends Omit<TargetEntry, "auth" | UnusedOption> {
    auth: CallerAuth;
}

export interface CallerTokenExchangeOptions extends Omit<OAuthOptions, "account">, ExchangeOptions {
    readonly trustedIssuers?: readonly string[];
}

export interface CredentialsOwner {
    readonly principal: string;
    readonly auth: AuthInfo | undefined;
}

export interface DeviationWriter {
    readonly server?: string;
    readonly client?: Implementation;
}

export declare class Gateway implements AsyncDisposable {
    readonly info: Implementation;
    readonly leakedHandlers: LeakedHandlers;
    use(middleware: Middleware<RequestContext>): this;
    use(method: string, middleware: Middleware<RequestContext>): this;
    setServers(servers: GatewayEntries): Promise<ServerChanges>;
    setPins(approved: PinnedTools, callers?: PinnedForCallers): void;
    setPolicy(policy: Policy | undefined): void;
    setQuotas(quotas: {
        readonly [server: string]: Quota;
    }): void;
    start(): Promise<void>;
    status(): UpstreamStatus[];
    accept(dispatcher: Dispatcher): Promise<void>;
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}

export interface GatewayEntries {
    readonly [name: string]: GatewayEntry;
}

export type GatewayEntry = TargetSource | Omit<TargetEntry, UnusedOption> | Omit<StdioEntry, UnusedOption> | Omit<HttpEntry, UnusedOption> | CallerHttpEntry | CallerTargetEntry;

export interface GatewayLimits extends ListLimits {
    maxConnections: number;
    maxProcesses: number;
    pageSize: number;
    maxHeld: number;
}

export interface GatewayOptions {
    servers: GatewayEntries;
    info?: Implementation;
    instructions?: string;
    share?: Sharing | {
        readonly [server: string]: Sharing;
    };
    prefix?: {
        readonly [server: string]: string;
    };
    policy?: Policy;
    search?: boolean | ToolSearchOptions;
    spill?: boolean | SpillOptions;
    audit?: AuditOptions;
    quotas?: {
        readonly [server: string]: Quota;
    };
    pins?: PinOptions;
    readyTimeout?: number;
    onMissing?: (servers: readonly string[]) => void;
    lists?: ListMemory;
    idleTimeout?: number;
    drainTimeout?: number;
    requestState?: {
        keys?: readonly SealingKey[];
        ttl?: number;
    };
    logins?: LoginPagesOptions;
    loginStore?: AuthStore;
    localLogins?: boolean;
    limits?: Partial<GatewayLimits>;
    strict?: boolean;
    onDeviation?: (deviation: Deviation, writer: DeviationWriter) => void;
    clock?: Clock;
    onError?: (error: Error, context: {
        server?: string;
        method?: string;
    }) => void;
}

export interface GatewayUserLoginOptions extends Omit<OAuthOptions, "account" | "store">, AuthorizationCodeOptions {
    readonly open?: OpenPage;
    readonly port?: number;
    readonly callbackHost?: CallbackHost;
    readonly callbackPath?: string;
}

export interface ListMemory {
    get(key: string): MaybePromise<JsonObject | undefined>;
    set(key: string, lists: JsonObject): void;
}

export interface LoginPagesOptions {
    readonly url: string;
    readonly identityProvider: BrowserIdentityOptions;
}

export interface PinOptions {
    approved?: PinnedTools;
    callers?: PinnedForCallers;
    unknown?: "pin" | "withhold";
    onPinned?: (seen: SeenTool) => void;
    onWithheld?: (seen: SeenTool) => void;
}

export interface PinnedForCallers {
    readonly [server: string]: {
        readonly [principal: string]: {
            readonly [tool: string]: string;
        };
    };
}

export interface PinnedTools {
    readonly [server: string]: {
        readonly [tool: string]: string;
    };
}

export type Policy = (facts: PolicyFacts) => boolean;

export interface PolicyFacts {
    readonly principal: string | undefined;
    readonly scopes: readonly string[];
    readonly claims: JsonObject;
    readonly server: string;
    readonly kind: Kind;
    readonly name: string;
    readonly version?: string;
    readonly annotations: JsonObject;
}

export interface Quota {
    requests?: number;
    per?: number;
    running?: number;
    paramsSize?: number;
    resultSize?: number;
}

export interface SeenTool {
    readonly server: string;
    readonly tool: string;
    readonly kind: PinnedKind;
    readonly name: string;
    readonly digest: string;
    readonly definition: JsonObject;
    readonly principal?: string;
}

export interface ServerChanges {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
}

export type Sharing = "session" | "principal" | "call" | "all";

export interface UpstreamStatus {
    readonly server: string;
    readonly connections: number;
    readonly waiting: number;
    readonly restarts: number;
    readonly droppedMessages: number;
}

export declare function callerTokenExchange(options: CallerTokenExchangeOptions): CallerAuth;

export declare function createGateway(options: GatewayOptions): Gateway;

export declare function perCaller(make: (owner: CredentialsOwner) => AuthProvider): CallerAuth;

export declare function userLogin(options?: GatewayUserLoginOptions): CallerAuth;
