/** `tenon/stores/postgres`: state that several processes share in PostgreSQL, or that one process keeps on disk with PGlite. */
export { postgresStores, type PostgresStoresOptions } from "./postgres-stores.ts";
export type { PgliteInstance } from "./pglite-database.ts";
export { DamagedEntryError } from "../../storage/damaged-entry.ts";
export type { StateLimits } from "../owner-shares.ts";
export { StoreUnavailableError } from "../store-error.ts";
export type { StoreOptions, Stores } from "../stores.ts";
