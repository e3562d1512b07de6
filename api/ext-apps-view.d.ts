// What tenon/ext/apps/view exports. Made by: npm run api -- --update

export { ContainerDimensions } from "tenon/ext/apps/host";
export { DisplayMode } from "tenon/ext/apps/host";
export { HostCapabilities } from "tenon/ext/apps/host";
export { HostContext } from "tenon/ext/apps/host";

export declare class View<Tools = JsonObject, Args = JsonObject, Data = unknown> {
    readonly hostInfo: Implementation;
    readonly hostCapabilities: HostCapabilities;
    readonly call: ToolCalls<Tools, ViewCallOptions>;
    get context(): HostContext;
    on<Name extends keyof ViewEvents>(event: Name, listener: (value: ViewEvents<Args, Data>[Name]) => unknown): () => void;
    callTool(name: string, args?: JsonObject, options?: ViewCallOptions): Promise<ViewToolResult>;
    readResource(uri: string, options?: ViewCallOptions): Promise<ReadResourceResult>;
    sendMessage(content: string | readonly ContentBlock[], options?: ViewCallOptions): Promise<void>;
    updateModelContext(context: {
        content?: readonly ContentBlock[];
        structuredContent?: JsonObject;
    }, options?: ViewCallOptions): Promise<void>;
    openLink(url: string | URL, options?: ViewCallOptions): Promise<void>;
    downloadFile(contents: readonly ContentBlock[], options?: ViewCallOptions): Promise<void>;
    sample(params: JsonObject, options?: ViewCallOptions): Promise<JsonObject>;
    requestDisplayMode(mode: DisplayMode, options?: ViewCallOptions): Promise<DisplayMode>;
    log(level: "debug" | "info" | "warning" | "error", data: unknown): void;
    requestClose(): void;
}

export interface ViewCallOptions {
    readonly timeout?: number;
    readonly signal?: AbortSignal;
}

export declare class ViewError extends Error {
    name: string;
    readonly code: number;
    readonly data: unknown;
    constructor(code: number, message: string, data?: unknown);
}

export interface ViewEvents<Args = JsonObject, Data = unknown> {
    readonly input: Args;
    readonly partialInput: Partial<Args>;
    readonly result: ViewToolResult<Data>;
    readonly cancelled: string | undefined;
    readonly context: HostContext;
    readonly close: undefined;
}

export type ViewOf<Server, Name = unknown> = View<ToolsOf<Server>, ArgsOf<ToolsOf<Server>, Name>, DataOf<ToolsOf<Server>, Name>>;

export interface ViewOptions {
    readonly name: string;
    readonly version: string;
    readonly displayModes?: readonly DisplayMode[];
    readonly tools?: Readonly<Record<string, ViewTool>>;
    readonly applyStyles?: boolean;
    readonly reportSize?: boolean;
    readonly timeout?: number;
}

export interface ViewTool {
    readonly description?: string;
    readonly inputSchema?: ObjectSchema;
    run(args: JsonObject, signal: AbortSignal): MaybePromise<string | CallToolResult>;
}

export type ViewToolResult<Data = unknown> = CallToolResult & {
    readonly data: Data;
    readonly text: string;
};

export declare function connectView<Server = unknown, Name = unknown>(options: ViewOptions): Promise<ViewOf<Server, Name>>;
