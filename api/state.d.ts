// What tenon/state exports. Made by: npm run api -- --update

export interface ForgetOptions {
    readonly store?: KeyedStore;
}

export interface KeptLimits {
    readonly maxStates?: number;
    readonly maxBytes?: number;
}

export interface State<Value, Input = Value> {
    get(context: RequestContext): Promise<Value | undefined>;
    read(context: RequestContext): Promise<StateEntry<Value> | undefined>;
    update(context: RequestContext, change: (value: Value | undefined) => MaybePromise<Input>): Promise<Value>;
    set(context: RequestContext, value: Input, options?: {
        readonly version?: string | null;
    }): Promise<StateEntry<Value>>;
    delete(context: RequestContext, options?: {
        readonly version?: string;
    }): Promise<boolean>;
    forget(user: UserName): Promise<void>;
}

export declare class StateConflictError extends McpError {
    name: string;
    constructor(name: string);
}

export interface StateEntry<Value> {
    readonly value: Value;
    readonly version: string;
}

export interface StateOptions<Schema extends AnySchema = AnySchema> {
    readonly schema: Schema;
    readonly per?: StatePer;
    readonly ttl?: number;
    readonly store?: KeyedStore;
    readonly limits?: KeptLimits;
    readonly validator?: JsonSchemaValidator;
}

export type StatePer = "user" | "session" | "client";

export type UserName = string | {
    readonly issuer: string;
    readonly subject: string;
};

export declare function forget(user: UserName, options?: ForgetOptions): Promise<void>;

export declare function state<const Schema extends AnySchema>(name: string, options: StateOptions<Schema> & WholeSchemas<{
    schema: Schema;
}>): State<InferOutput<Schema>, InferInput<Schema>>;
