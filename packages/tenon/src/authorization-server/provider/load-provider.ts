/** Loads `oidc-provider`, which is installed beside Tenon by those who use this subpath. */
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import type { Library } from "./library.ts";

/** @throws McpUsageError if the library is not installed */
export async function loadProvider(): Promise<Library> {
  addUrlParse();
  try {
    // @ts-ignore -- it has no types, unless a user has installed some
    const library: Library = await import("oidc-provider");
    return library;
  } catch (cause) {
    const how = 'createAuthorizationServer() needs the package "oidc-provider": npm install oidc-provider@~9.13';
    throw Object.assign(new McpUsageError(how), { cause });
  }
}

/** Adds `URL.parse` of the URL standard to Node 20, which lacks it. The library calls it in every request. */
function addUrlParse(): void {
  const target: { parse?: (url: string, base?: string) => URL | null } = URL;
  target.parse ??= (url, base) => (URL.canParse(url, base) ? new URL(url, base) : null);
}
