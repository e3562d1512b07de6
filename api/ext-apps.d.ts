// What tenon/ext/apps exports. Made by: npm run api -- --update

export declare const APPS_ID = "io.modelcontextprotocol/ui";

export interface AppsOptions {
    readonly maxHtmlBytes?: number;
}

export declare class InvalidViewError extends Error {
    name: string;
}

export type ToolAudience = "model" | "app";

export interface ToolUiOptions {
    readonly view?: ViewSource;
    readonly uri?: string;
    readonly visibility?: readonly ToolAudience[];
    readonly csp?: ViewCsp;
    readonly permissions?: readonly ViewPermission[];
    readonly domain?: string;
    readonly prefersBorder?: boolean;
}

export declare const VIEW_MIME_TYPE = "text/html;profile=mcp-app";

export interface ViewBundle {
    readonly bundle: URL;
}

export interface ViewCsp {
    readonly connectDomains?: readonly string[];
    readonly resourceDomains?: readonly string[];
    readonly frameDomains?: readonly string[];
    readonly baseUriDomains?: readonly string[];
}

export type ViewPermission = "camera" | "microphone" | "geolocation" | "clipboardWrite";

export type ViewSource = string | URL | ViewBundle | (() => MaybePromise<string>);

export declare function apps(options?: AppsOptions): Extension;

export declare function canShowViews(context: {
    readonly client: {
        readonly capabilities: ClientCapabilities;
    };
}): boolean;
