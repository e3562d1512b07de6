// What tenon/auth/keys exports. Made by: npm run api -- --update

export interface ApiKey {
    readonly id: string;
    readonly subject: string;
    readonly name?: string | undefined;
    readonly scopes: readonly string[];
    readonly createdAt: number;
    readonly expiresAt: number;
    readonly usedAt?: number | undefined;
}

export interface ApiKeys extends EndpointAuth {
    mint(key: NewKey): Promise<MintedKey>;
    list(subject?: string): Promise<readonly ApiKey[]>;
    revoke(id: string): Promise<boolean>;
    rotate(id: string): Promise<MintedKey>;
}

export interface ApiKeysOptions {
    readonly store: KeyedStore;
    readonly prefix?: string;
    readonly scopes?: readonly string[];
    readonly maxKeys?: number;
    readonly cacheTtl?: number;
}

export interface MintedKey extends ApiKey {
    readonly key: string;
}

export interface NewKey {
    readonly subject: string;
    readonly name?: string;
    readonly scopes?: readonly string[];
    readonly expiresIn?: number;
}

export declare function apiKeys(options: ApiKeysOptions): ApiKeys;
