// What tenon/procedures exports. Made by: npm run api -- --update

export type ArgumentsOf<Input> = [Input] extends [undefined | void] ? NoArguments : IsObject<Given<Input>> extends true ? JsonInput<Given<Input>> | (undefined extends Input ? NoArguments : never) : undefined extends Input ? {
    readonly input?: JsonInput<Exclude<Input, undefined | void>>;
} : {
    readonly input: JsonInput<Input>;
};

export type DataOf<Output> = [Output] extends [string] ? string : [Output] extends [readonly unknown[] | number | boolean] ? {
    readonly result: Json<Output>;
} : [Output] extends [AsyncIterable<infer Value>] ? {
    readonly values: readonly Json<Value>[];
} : IsObject<Output> extends true ? Json<Output> : unknown;

export interface FetchApp {
    fetch(request: Request, env?: never): MaybePromise<Response>;
}

export interface FileArgument {
    readonly data: string;
    readonly filename?: string;
    readonly mimeType?: string;
}

export interface GraphQlOptions {
    readonly schema: object | string;
    readonly operations: string;
    readonly context?: (context: RequestContext) => MaybePromise<unknown>;
    readonly rootValue?: unknown;
    readonly execute?: (request: GraphQlRequest, context: RequestContext) => MaybePromise<GraphQlResult | AsyncIterable<GraphQlResult>>;
}

export interface GraphQlRequest {
    readonly query: string;
    readonly operationName: string;
    readonly variables: JsonObject;
}

export interface GraphQlResult {
    readonly data?: unknown;
    readonly errors?: readonly {
        readonly message: string;
        readonly extensions?: object;
        readonly originalError?: unknown;
    }[] | undefined;
}

export interface HonoOptions extends RouteOptions {
    readonly document?: object | string;
}

export type Json<T> = T extends Date ? string : T extends bigint ? number | string : T extends (...args: never) => unknown ? never : T extends readonly (infer Item)[] ? readonly Json<Item>[] : T extends object ? {
    readonly [Key in keyof T]: Json<T[Key]>;
} : T;

export type JsonInput<T> = T extends Blob ? FileArgument : T extends Date | bigint ? Json<T> : T extends readonly (infer Item)[] ? readonly JsonInput<Item>[] : T extends object ? {
    readonly [Key in keyof T]: JsonInput<T[Key]>;
} : T;

export type NoArguments = Readonly<Record<string, never>>;

export interface OrpcOptions {
    readonly context?: (context: RequestContext) => MaybePromise<object>;
}

export type OrpcSignatures<Router> = {
    readonly [Path in PathsOf<Router, TypedProcedure>]: SignatureOf<NodeAt<Router, Path>>;
};

export interface Procedure extends ProcedureInfo {
    readonly inputs: readonly AnySchema[];
    readonly output: AnySchema | undefined;
    call(input: unknown, context: RequestContext): MaybePromise<unknown>;
    failure(error: unknown): ProcedureFailure | undefined;
    readonly tool?: ToolDefinition<unknown, unknown, unknown>;
    readonly toolName?: string;
}

export interface ProcedureFailure {
    readonly code: string;
    readonly message: string;
    readonly status?: number | undefined;
    readonly data?: unknown;
}

export interface ProcedureInfo {
    readonly path: string;
    readonly kind: "query" | "mutation" | "subscription";
    readonly meta: unknown;
    readonly summary?: string | undefined;
    readonly description?: string | undefined;
}

export interface ProcedureOptions<Path extends string = string> {
    readonly include?: readonly Path[] | ((procedure: ProcedureInfo) => boolean);
    readonly name?: (procedure: ProcedureInfo) => string | undefined;
    readonly map?: (tool: ToolOptions, procedure: ProcedureInfo) => ToolOptions;
    readonly toJsonSchema?: ToJsonSchema;
    readonly maxTools?: number;
    readonly maxValues?: number;
}

export interface ProcedureReportEntry {
    readonly procedure: string;
    readonly tool?: string;
    readonly status: "tool" | "skipped";
    readonly why?: string;
}

export interface ProcedureSource<Signatures = Readonly<Record<string, ToolSignature>>> {
    readonly what: string;
    readonly procedures: readonly Procedure[];
    readonly leftOut: readonly {
        readonly procedure: string;
        readonly why: string;
    }[];
    readonly "~signatures"?: Signatures;
}

export interface ProcedureTools<Tools = ToolSet<unknown>> {
    readonly tools: Tools;
    readonly report: readonly ProcedureReportEntry[];
    readonly tokens: number;
}

export interface RouteOptions {
    readonly headers?: (context: RequestContext) => MaybePromise<Readonly<Record<string, string>>>;
    readonly env?: (context: RequestContext) => unknown;
    readonly openapi?: Omit<OpenApiOptions, "fetch" | "baseUrl" | "include" | "name" | "map" | "resources" | "documentUrl">;
}

export type ToJsonSchema = (schema: unknown, io: "input" | "output") => JsonObject | undefined;

export type ToolsFrom<Signatures, Options> = Options extends {
    readonly name: (...args: never) => unknown;
} ? ToolSet<unknown> : {
    readonly [Path in Included<Signatures, Options> & string as NameOf<Path>]: Signatures[Path] extends ToolSignature<infer Args, infer Data> ? ToolDefinition<Args, Data, unknown> : never;
};

export interface TrpcOptions {
    readonly context?: (context: RequestContext) => MaybePromise<unknown>;
}

export interface TrpcRouter {
    readonly _def: {
        readonly procedures: object;
        readonly record: object;
    };
}

export type TrpcSignatures<Router> = {
    readonly [Path in PathsOf<Children<Router>, TypedProcedure>]: SignatureOf<NodeAt<Children<Router>, Path>>;
};

export interface TsRestOptions extends RouteOptions {
    readonly toJsonSchema?: ToJsonSchema;
}

export type TsRestSignatures<Contract> = {
    readonly [Path in PathsOf<Contract, TypedRoute>]: SignatureOf<NodeAt<Contract, Path>>;
};

export declare function fromProcedures<Signatures, const Options extends ProcedureOptions<keyof Signatures & string>>(source: ProcedureSource<Signatures>, options?: Options): ProcedureTools<ToolsFrom<Signatures, Options>>;
export declare function fromProcedures<Signatures, const Options extends ProcedureOptions<keyof Signatures & string>>(source: Promise<ProcedureSource<Signatures>>, options?: Options): Promise<ProcedureTools<ToolsFrom<Signatures, Options>>>;

export declare function graphql(options: GraphQlOptions): Promise<ProcedureSource>;

export declare function hono(app: FetchApp, options?: HonoOptions): Promise<ProcedureSource>;

export declare function orpc<const Router extends object>(router: Router, options?: OrpcOptions): ProcedureSource<OrpcSignatures<Router>>;

export declare function trpc<Router extends TrpcRouter>(router: Router, options?: TrpcOptions): ProcedureSource<TrpcSignatures<Router>>;

export declare function tsRest<Contract extends object>(contract: Contract, handler: (request: Request) => MaybePromise<Response>, { toJsonSchema, ...options }?: TsRestOptions): Promise<ProcedureSource<TsRestSignatures<Contract>>>;
