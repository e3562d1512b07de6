// What tenon/ext/apps/host exports. Made by: npm run api -- --update

export { InvalidViewError } from "tenon/ext/apps";

export interface AppClient {
    listTools(params?: PaginatedRequestParams, options?: CallOptions): Promise<ListToolsResult>;
    callTool(name: string, args?: JsonObject, options?: CallOptions): Promise<CallToolResult>;
    readResource(uri: string, options?: CallOptions): Promise<ReadResourceResult>;
    listResources(params?: PaginatedRequestParams, options?: CallOptions): Promise<ListResourcesResult>;
}

export declare class AppHost {
    constructor(options: AppHostOptions);
    get views(): ReadonlySet<MountedView>;
    modelTools(): Promise<readonly Tool[]>;
    hasView(tool: Tool): boolean;
    mount(container: Element, call: ShownCall): Promise<MountedView>;
    setContext(change: HostContext): void;
    close(): Promise<void>;
}

export interface AppHostOptions {
    readonly client: AppClient;
    readonly sandbox: string | URL;
    readonly info: Implementation;
    readonly approve: (request: Approval) => MaybePromise<boolean>;
    readonly context?: HostContext;
    readonly permissions?: readonly ViewPermission[];
    readonly onMessage?: (content: readonly ContentBlock[], view: AppView) => MaybePromise<boolean | void>;
    readonly onOpenLink?: (url: URL, view: AppView) => MaybePromise<boolean | void>;
    readonly onModelContext?: (context: ModelContext, view: AppView) => MaybePromise<boolean | void>;
    readonly onDisplayMode?: (mode: DisplayMode, view: AppView) => MaybePromise<DisplayMode>;
    readonly onDownload?: (contents: readonly JsonObject[], view: AppView) => MaybePromise<boolean | void>;
    readonly onSample?: (params: JsonObject, view: AppView) => MaybePromise<JsonObject>;
    readonly onLog?: (message: {
        readonly level: unknown;
        readonly data: unknown;
    }, view: AppView) => void;
    readonly onCloseRequest?: (view: AppView) => boolean;
    readonly onTraffic?: (sender: "host" | "view", message: unknown) => void;
    readonly onError?: (error: Error) => void;
    readonly limits?: Partial<AppLimits>;
}

export interface AppLimits {
    readonly maxHtmlBytes: number;
    readonly maxMessageSize: number;
    readonly messagesPerSecond: number;
    readonly maxInFlight: number;
    readonly maxHeight: number;
    readonly sandboxTimeout: number;
    readonly closeTimeout: number;
}

export interface AppView {
    readonly tool: Tool;
    readonly uri: string;
    readonly frame: HTMLIFrameElement;
    readonly prefersBorder: boolean | undefined;
    readonly info: Implementation | undefined;
    readonly displayModes: readonly DisplayMode[];
    readonly context: HostContext;
    setContext(change: HostContext): void;
    close(reason?: string): Promise<void>;
}

export type Approval = {
    readonly kind: "view";
    readonly tool: Tool;
    readonly uri: string;
    readonly csp: Required<ViewCsp>;
    readonly permissions: readonly ViewPermission[];
} | {
    readonly kind: "tool";
    readonly tool: Tool;
    readonly arguments: JsonObject;
    readonly view: AppView;
} | {
    readonly kind: "resource";
    readonly uri: string;
    readonly view: AppView;
};

export interface ContainerDimensions {
    readonly width?: number;
    readonly height?: number;
    readonly maxWidth?: number;
    readonly maxHeight?: number;
}

export type DisplayMode = "inline" | "fullscreen" | "pip";

export declare class FrameTransport implements Transport {
    readonly kind = "frame";
    constructor(frame: Window, origin: string, options?: FrameTransportOptions);
    send(message: Outgoing): void;
    receive(): MaybePromise<Incoming>;
    close(reason?: unknown): Promise<void>;
}

export interface FrameTransportOptions {
    readonly maxMessageSize?: number;
    readonly messagesPerSecond?: number;
    readonly onTraffic?: ((sender: "host" | "view", message: unknown) => void) | undefined;
    readonly onError?: ((error: Error) => void) | undefined;
}

export interface HostCapabilities {
    readonly openLinks?: JsonObject;
    readonly downloadFile?: JsonObject;
    readonly serverTools?: {
        readonly listChanged?: boolean;
    };
    readonly serverResources?: {
        readonly listChanged?: boolean;
    };
    readonly logging?: JsonObject;
    readonly sandbox?: {
        readonly permissions?: JsonObject;
        readonly csp?: JsonObject;
    };
    readonly updateModelContext?: JsonObject;
    readonly message?: JsonObject;
    readonly sampling?: JsonObject;
}

export interface HostContext {
    readonly toolInfo?: {
        readonly id?: string | number;
        readonly tool: Tool;
    };
    readonly theme?: "light" | "dark";
    readonly styles?: {
        readonly variables?: Readonly<Record<string, string | undefined>>;
        readonly css?: {
            readonly fonts?: string;
        };
    };
    readonly displayMode?: DisplayMode;
    readonly availableDisplayModes?: readonly DisplayMode[];
    readonly containerDimensions?: ContainerDimensions;
    readonly locale?: string;
    readonly timeZone?: string;
    readonly userAgent?: string;
    readonly platform?: "web" | "desktop" | "mobile";
    readonly deviceCapabilities?: {
        readonly touch?: boolean;
        readonly hover?: boolean;
    };
    readonly safeAreaInsets?: {
        readonly top: number;
        readonly right: number;
        readonly bottom: number;
        readonly left: number;
    };
    readonly [member: string]: unknown;
}

export interface ModelContext {
    readonly content?: readonly ContentBlock[];
    readonly structuredContent?: JsonObject;
}

export declare class MountedView implements AppView {
    readonly tool: Tool;
    readonly uri: string;
    readonly frame: HTMLIFrameElement;
    readonly prefersBorder: boolean | undefined;
    readonly ready: Promise<void>;
    readonly closed: Promise<Error | undefined>;
    get info(): Implementation | undefined;
    get displayModes(): readonly DisplayMode[];
    get context(): HostContext;
    sendPartialInput(args: JsonObject): void;
    sendInput(args: JsonObject): void;
    sendResult(result: CallToolResult): void;
    sendCancelled(reason?: string): void;
    setContext(change: HostContext): void;
    listTools(options?: RequestOptions): Promise<readonly Tool[]>;
    callTool(name: string, args?: JsonObject, options?: RequestOptions): Promise<CallToolResult>;
    close(reason?: string): Promise<void>;
}

export interface SandboxOptions {
    readonly hosts: readonly string[];
}

export interface ShownCall {
    readonly tool: Tool;
    readonly arguments?: JsonObject;
    readonly result?: CallToolResult | Promise<CallToolResult>;
    readonly id?: string | number;
}

export declare function createSandboxHandler(options: SandboxOptions): (request: Request) => Response;

export declare function isVisibleTo(tool: Tool, audience: ToolAudience): boolean;

export declare function viewUriOf(tool: Tool): string | undefined;
