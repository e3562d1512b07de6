// What tenon/dev exports. Made by: npm run api -- --update

export interface KeptOptions {
    version?: number;
}

export declare function kept<T>(name: string, make: () => T, { version }?: KeptOptions): T;

export declare function onReload(callback: () => unknown): void;
