// What tenon-cli/docs-server exports. Made by: npm run api -- --update

export declare function docsServer(): Promise<McpServer>;
