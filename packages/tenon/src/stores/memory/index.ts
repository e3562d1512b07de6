/** `tenon/stores/memory`: everything that stores of an engine keep, in the memory of one process. */
export { memoryStores, type MemoryStoresOptions } from "./memory-stores.ts";
export type { Stores } from "../stores.ts";
