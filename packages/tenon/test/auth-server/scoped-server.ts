/** A server whose features need scopes, behind tokens of which each has others. */
import type { McpServer } from "tenon";
import type { ServeHttpOptions } from "tenon/node";
import { authorizer, METADATA_URL, protect, TOKENS, type Protected, type Seen } from "./support.ts";

/** A tool, a prompt, two resources and a template, each with a scope of its own. */
export function define(server: McpServer, seen: Seen): void {
  const ran = (what: string): string => (seen.calls.push(what), what);
  server.use((next) => (ctx) => {
    if (ctx.method !== "initialize") seen.calls.push(`middleware ${ctx.method}`);
    return next(ctx);
  });
  server.tool("delete", { scopes: ["files:write", "files:delete"] }, () => ran("delete"));
  server.tool("slow", { scopes: ["files:write"] }, async (_input, ctx) => {
    await ctx.progress(1);
    return ran("slow");
  });
  server.prompt(
    "p",
    {
      scopes: ["prompts"],
      input: { type: "object", properties: { a: { type: "string" } } } as const,
      complete: { a: () => [ran("complete prompt")] },
    },
    () => ran("prompt"),
  );
  server.resource("file:///secret", { scopes: ["files:read"] }, () => ran("resource"));
  server.resource("file:///open", {}, () => ran("open"));
  server.resourceTemplate("file:///home/{name}", { scopes: ["home"], complete: { name: () => [ran("complete template")] } }, () =>
    ran("template"),
  );
}

type Token = NonNullable<(typeof TOKENS)[string]>;

export const tokens: Readonly<Record<"nothing" | "base" | "writer" | "deleter" | "all", Token>> = {
  nothing: TOKENS["nothing"]!,
  base: { ...TOKENS["ann"]!, scopes: ["mcp"] },
  writer: { ...TOKENS["ann"]!, scopes: ["mcp", "files:write"] },
  deleter: { ...TOKENS["ann"]!, scopes: ["mcp", "files:write", "files:delete"] },
  all: { ...TOKENS["ann"]!, scopes: ["mcp", "files:write", "files:delete", "files:read", "prompts", "home", "catalog"] },
};

export const guarded = (options: ServeHttpOptions = {}, serverScopes?: Record<string, string[]>): Promise<Protected> =>
  protect({ auth: authorizer({ scopes: ["mcp"] }, tokens), ...options }, define, serverScopes && { scopes: serverScopes });

export const lacking = (scopes: string): string =>
  'Bearer error="insufficient_scope", error_description="The operation needs these scopes", ' +
  `resource_metadata="${METADATA_URL}", scope="${scopes}"`;
