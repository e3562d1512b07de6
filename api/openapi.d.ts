// What tenon/openapi exports. Made by: npm run api -- --update

export type ApiCredential = string | {
    readonly token: string;
} | {
    readonly username: string;
    readonly password: string;
} | {
    readonly headers: {
        readonly [name: string]: string;
    };
};

export type ApiFetch = (url: string, init: ApiRequestInit, context?: RequestContext) => Promise<ApiResponse>;

export interface ApiRequest {
    readonly method: string;
    readonly url: string;
    readonly headers: {
        readonly [name: string]: string;
    };
    readonly body?: string | Uint8Array;
}

export interface ApiRequestInit extends CheckedRequestInit {
}

export interface ApiResponse extends AuthResponse {
}

export type CredentialSource = (context: RequestContext, request: ApiRequest, refused: ApiCredential | undefined) => MaybePromise<ApiCredential | undefined>;

export interface OpenApi extends FeatureSource {
    readonly info: {
        readonly title: string;
        readonly version: string;
    };
    readonly tools: ToolSet<unknown>;
    readonly server: McpServer;
    readonly report: readonly OpenApiReportEntry[];
    request(operation: string, args: JsonObject, context: RequestContext): Promise<CallToolResult>;
}

export declare class OpenApiDocumentError extends Error {
    name: string;
}

export interface OpenApiDocumentLimits {
    readonly documentBytes: number;
    readonly documentDepth: number;
    readonly documentNodes: number;
    readonly documentAliases: number;
    readonly documents: number;
}

export interface OpenApiFilter {
    readonly tags?: readonly string[];
    readonly methods?: readonly string[];
    readonly paths?: readonly string[];
    readonly operations?: readonly string[];
}

export interface OpenApiOperation {
    readonly method: string;
    readonly path: string;
    readonly operationId?: string;
    readonly tags: readonly string[];
    readonly summary?: string;
    readonly description?: string;
    readonly deprecated: boolean;
}

export interface OpenApiOptions extends UrlPolicyOptions {
    readonly baseUrl?: string | URL;
    readonly serverVariables?: {
        readonly [name: string]: string;
    };
    readonly auth?: {
        readonly [scheme: string]: ApiCredential | CredentialSource;
    };
    readonly origins?: readonly string[];
    readonly include?: OpenApiFilter | ((operation: OpenApiOperation) => boolean);
    readonly deprecated?: boolean;
    readonly resources?: boolean;
    readonly name?: (operation: OpenApiOperation) => string | undefined;
    readonly map?: (tool: ToolOptions, operation: OpenApiOperation) => ToolOptions;
    readonly flatten?: boolean;
    readonly output?: "loose" | "exact" | "none";
    readonly maxSchemaBytes?: number;
    readonly maxResponseBytes?: number;
    readonly timeout?: number;
    readonly documentUrl?: string | URL;
    readonly resolve?: (url: URL, signal: AbortSignal) => MaybePromise<object | string | undefined>;
    readonly limits?: Partial<OpenApiDocumentLimits>;
    readonly readFile?: (uri: string, context: RequestContext) => MaybePromise<Uint8Array>;
    readonly fetch?: ApiFetch;
    readonly onError?: (error: Error) => void;
}

export interface OpenApiReportEntry {
    readonly operation: string;
    readonly tool?: string;
    readonly resource?: string;
    readonly status: "tool" | "resource" | "reduced" | "skipped";
    readonly why?: string;
}

export declare function fromOpenApi(document: object | string | URL, options?: OpenApiOptions): Promise<OpenApi>;
