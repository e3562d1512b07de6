// What tenon/stores/postgres exports. Made by: npm run api -- --update

export { Stores } from "tenon/stores/memory";

export { DamagedEntryError } from "tenon/stores/redis";
export { StateLimits } from "tenon/stores/redis";
export { StoreOptions } from "tenon/stores/redis";
export { StoreUnavailableError } from "tenon/stores/redis";

export interface PgliteInstance extends PgliteQueries {
    transaction<T>(work: (transaction: PgliteQueries) => Promise<T>): Promise<T>;
    listen(channel: string, listener: (payload: string) => void): Promise<() => Promise<void>>;
}

export interface PostgresStoresOptions extends StoreOptions {
    readonly url?: string;
    readonly pool?: Readonly<Record<string, unknown>>;
    readonly listenUrl?: string;
    readonly pglite?: PgliteInstance;
    readonly schema?: string;
}

export declare function postgresStores(options?: PostgresStoresOptions): Stores;
