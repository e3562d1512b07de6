// What TanStack's generator writes of the route, as far as its types need it.
import type { AnyRoute } from "@tanstack/react-router";

declare module "@tanstack/react-router" {
  interface FileRoutesByPath {
    "/mcp": { id: "/mcp"; path: "/mcp"; fullPath: "/mcp"; preLoaderRoute: AnyRoute; parentRoute: AnyRoute };
  }
}
