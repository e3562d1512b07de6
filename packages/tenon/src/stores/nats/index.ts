/** `tenon/stores/nats`: state that several processes share, in NATS with JetStream. */
export { natsStores, type NatsStoresOptions } from "./nats-stores.ts";
export { DamagedEntryError } from "../../storage/damaged-entry.ts";
export type { StateLimits } from "../owner-shares.ts";
export { StoreUnavailableError } from "../store-error.ts";
export type { StoreOptions, Stores } from "../stores.ts";
