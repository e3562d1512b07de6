// What tenon/middleware exports. Made by: npm run api -- --update

export type AnyMiddleware = <C extends HandlerContext>(next: Handler<C>) => Handler<C>;

export type AuditLayer = <C extends RequestContext>(next: Handler<C>) => Handler<C>;

export interface AuditOptions {
    write: (record: AuditRecord) => void;
    contents?: boolean;
    redact?: Redact;
}

export type AuditOutcome = "ok" | "tool_error" | "input_required" | "denied" | "cancelled" | "error";

export interface AuditRecord {
    readonly time: string;
    readonly principal?: string;
    readonly subject?: string;
    readonly address?: string;
    readonly client?: string;
    readonly method: string;
    readonly name?: string;
    readonly server?: string;
    readonly ms: number;
    readonly outcome: AuditOutcome;
    readonly code?: number;
    readonly trace?: string;
    readonly params?: JsonObject;
    readonly result?: JsonObject;
}

export interface CacheOptions {
    ttl: number;
    when: (context: HandlerContext) => boolean;
    maxEntries?: number;
    clock?: Clock;
}

export interface LogEntry {
    readonly method: string;
    readonly name?: string;
    readonly outcome: "ok" | "failed" | "asked" | "error";
    readonly code?: number;
    readonly ms: number;
    readonly worker?: number;
}

export interface LogOptions {
    write?: (entry: LogEntry) => void;
    clock?: Clock;
}

export interface RateLimitOptions {
    limit: number;
    per?: number;
    by?: (context: HandlerContext) => string | undefined;
    maxCallers?: number;
    clock?: Clock;
}

export interface Redact {
    readonly paths?: readonly string[];
    readonly patterns?: readonly RegExp[];
}

export interface RetryOptions {
    attempts?: number;
    delay?: number;
    maxDelay?: number;
    when?: (error: unknown, context: HandlerContext) => boolean;
    clock?: Clock;
}

export interface ServerAuditOptions extends AuditOptions {
    onError?: (error: unknown) => void;
    clock?: Clock;
}

export interface TimeoutOptions {
    clock?: Clock;
}

export declare function audit(options: ServerAuditOptions): AuditLayer;

export declare function cache(options: CacheOptions): AnyMiddleware;

export declare function log(options?: LogOptions): AnyMiddleware;

export declare function rateLimit(options: RateLimitOptions): AnyMiddleware;

export declare function retry(options?: RetryOptions): AnyMiddleware;

export declare function timeout(ms: number, options?: TimeoutOptions): AnyMiddleware;
