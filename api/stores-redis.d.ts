// What tenon/stores/redis exports. Made by: npm run api -- --update

export { Stores } from "tenon/stores/memory";

export declare class DamagedEntryError extends McpError {
    name: string;
    constructor(what: string, problem: string);
}

export interface RedisStoresOptions extends StoreOptions {
    readonly url?: string;
    readonly client?: Readonly<Record<string, unknown>>;
    readonly prefix?: string;
    readonly evicting?: "refuse" | "accept";
}

export interface StateLimits {
    readonly maxSize?: number;
    readonly maxClaims?: number;
}

export interface StoreOptions {
    readonly timeout?: number;
    readonly loginKey?: Uint8Array;
    readonly states?: StateLimits;
    readonly onError?: (error: unknown) => void;
}

export declare class StoreUnavailableError extends McpError {
    name: string;
    readonly delivery: "not-sent" | "unknown";
    constructor(delivery: "not-sent" | "unknown", cause: unknown, message?: string);
}

export declare function redisStores(options?: RedisStoresOptions): Stores;
