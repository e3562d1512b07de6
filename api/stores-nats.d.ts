// What tenon/stores/nats exports. Made by: npm run api -- --update

export { Stores } from "tenon/stores/memory";

export { DamagedEntryError } from "tenon/stores/redis";
export { StateLimits } from "tenon/stores/redis";
export { StoreOptions } from "tenon/stores/redis";
export { StoreUnavailableError } from "tenon/stores/redis";

export interface NatsStoresOptions extends StoreOptions {
    readonly url?: string;
    readonly client?: Readonly<Record<string, unknown>>;
    readonly prefix?: string;
    readonly replicas?: number;
    readonly maxBytes?: number;
}

export declare function natsStores(options?: NatsStoresOptions): Stores;
