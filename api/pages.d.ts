// What tenon/pages exports. Made by: npm run api -- --update

export interface BrowserIdentityOptions extends GuardedFetchOptions {
    readonly issuer: string;
    readonly client: PreregisteredClient;
}

export declare class PageError extends McpError {
    name: string;
    constructor(text: string, url?: string);
}

export interface PageRequest {
    readonly method: string;
    readonly url: string;
    header(name: string): string | undefined;
    text(): MaybePromise<string>;
}

export interface Secrets {
    names(user: UserName, options?: SecretsOptions): Promise<readonly string[]>;
    revoke(user: UserName, name: string, options?: SecretsOptions): Promise<boolean>;
    forget(user: UserName, options?: SecretsOptions): Promise<void>;
}

export interface SecretsOptions {
    readonly store?: KeyedStore;
}

export interface UserPages {
}

export interface UserPagesLimits {
    readonly maxPages?: number;
    readonly maxSecrets?: number;
}

export interface UserPagesOptions {
    readonly url?: string;
    readonly identityProvider?: BrowserIdentityOptions;
    readonly identify?: (request: PageRequest) => MaybePromise<UserName | undefined>;
    readonly keys?: readonly SealingKey[];
    readonly store?: KeyedStore;
    readonly ttl?: number;
    readonly secretTtl?: number;
    readonly limits?: UserPagesLimits;
    readonly open?: OpenPage;
}

export declare const secrets: Secrets;

export declare function userPages(options?: UserPagesOptions): UserPages;
