// Calls the routes that docs/serving/frameworks.md shows, and prints what a client gets from them. h3, React Router and the route
// of TanStack are the real ones; SvelteKit and Astro call an exported function with the request.
import { createApp, toWebHandler } from "h3";
import { createStaticHandler, type LoaderFunction } from "react-router";
import { connect } from "tenon/client";
import { action, loader } from "./app/routes/mcp.ts";
import nuxt from "./server/routes/mcp.ts";
import { ALL, prerender } from "./src/pages/mcp.ts";
import { Route } from "./src/routes/mcp.ts";
import { fallback } from "./src/routes/mcp/+server.ts";

type Serve = (request: Request) => Promise<Response>;

const router = createStaticHandler([{ path: "/mcp", loader: loader satisfies LoaderFunction, action }]);
const nitro = createApp();
nitro.use("/mcp", nuxt);
const handlers = Route.options.server?.handlers as Record<string, (given: { request: Request }) => Promise<Response>>;

const frameworks: Record<string, Serve> = {
  SvelteKit: async (request) => fallback({ request }),
  Nuxt: toWebHandler(nitro),
  Astro: async (request) => (prerender ? new Response("not on demand", { status: 500 }) : ALL({ request })),
  "TanStack Start": (request) => handlers[request.method]!({ request }),
  "React Router": (request) => router.queryRoute(request) as Promise<Response>,
};

for (const [name, serve] of Object.entries(frameworks)) {
  for (const revision of ["2025-11-25", "2026-07-28"] as const) {
    const url = "https://sums.example.com/mcp";
    const client = await connect({ url, fetch: (input, init) => serve(new Request(input, init)) }, { revision });
    console.log(name, revision, (await client.callTool("add", { a: 1, b: 2 })).text);
    await client.close();
  }
  const evil = new Request("https://evil.example/mcp", {
    method: "POST",
    body: "{}",
    headers: { "content-type": "application/json" },
  });
  console.log(name, (await serve(evil)).status);
}
