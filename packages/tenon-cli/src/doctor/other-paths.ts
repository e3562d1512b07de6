/**
 * What to do about a server that has no MCP endpoint at the path that was typed: whether it has one at a usual path.
 *
 * The requests go to the origin that was typed, and carry no credentials.
 */
import { connectWithoutCredentials } from "../login/first-response.ts";
import type { Subject } from "./subject.ts";

const USUAL = ["/mcp", "/"];

/** Most milliseconds for one path. */
const PATH_TIMEOUT = 2_000;

/** The remedy, one or two sentences: the URL of the endpoint, or which paths have none. */
export async function remedyOfPath({ server, invocation, left }: Subject): Promise<string> {
  const tried = USUAL.filter((path) => path !== server.pathname);
  const urls = tried.map((path) => server.origin + path);
  const found = await Promise.all(urls.map((url) => answersAt(new URL(url), { invocation, left })));
  const url = urls.find((_url, index) => found[index]);
  if (url !== undefined) return `Use ${url}: an MCP server answers there.`;
  return `Check the path of the URL; ${tried.join(" and ")} ${tried.length === 1 ? "does not answer as an MCP server either" : "do not answer as MCP servers"}.`;
}

async function answersAt(url: URL, { invocation, left }: Pick<Subject, "invocation" | "left">): Promise<boolean> {
  const { response, error } = await connectWithoutCredentials(url, invocation, { timeout: Math.max(1, Math.min(left(), PATH_TIMEOUT)) });
  return error === undefined || /^bearer\b/i.test(response?.headers.get("www-authenticate") ?? "");
}
