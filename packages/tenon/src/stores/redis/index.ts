/** `tenon/stores/redis`: state that several processes share, in Redis or Valkey. */
export { redisStores, type RedisStoresOptions } from "./redis-stores.ts";
export { DamagedEntryError } from "../../storage/damaged-entry.ts";
export type { StateLimits } from "../owner-shares.ts";
export { StoreUnavailableError } from "../store-error.ts";
export type { StoreOptions, Stores } from "../stores.ts";
