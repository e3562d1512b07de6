// What tenon/stores/memory exports. Made by: npm run api -- --update

export interface MemoryStoresOptions {
    readonly clock?: Clock;
    readonly onError?: (error: unknown) => void;
}

export interface Stores extends ClusterStores {
    readonly states: StateStore;
    readonly tasks: TaskStore;
    readonly proofs: ProofStore;
    readonly logins: AuthStore;
    ready(): Promise<void>;
    close(): Promise<void>;
}

export declare function memoryStores(options?: MemoryStoresOptions): Stores;
