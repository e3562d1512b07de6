/**
 * The sandbox page: the page of another origin between a host and its views. MCP Apps 2026-01-26, Sandbox proxy.
 *
 * It shows the view in a frame of its own without an origin, and relays messages. Its policy is a header, which the frame inherits, so
 * that no script of the view can be without it.
 */
import { assertKnown, type OptionKeys } from "../../../base/known-options.ts";
import { InvalidViewError, parseCsp, policyOf } from "../csp.ts";

/** Options of {@link createSandboxHandler}. */
export interface SandboxOptions {
  /** The origins of the hosts that may show the page in a frame: `["https://chat.example"]`. */
  readonly hosts: readonly string[];
}

const SANDBOX_OPTIONS: OptionKeys<SandboxOptions> = { hosts: 1 };

// Written for the page as it stands: small, without a dependency, and readable in the browser's tools.
const SCRIPT = `(() => {
  const host = new URLSearchParams(location.search).get("host");
  const prefix = "ui/notifications/sandbox-";
  const tell = (method, params = {}) => parent.postMessage({ jsonrpc: "2.0", method: prefix + method, params }, host);
  const isOwn = (message) => typeof message?.method === "string" && message.method.startsWith(prefix);
  const features = { camera: "camera", microphone: "microphone", geolocation: "geolocation", clipboardWrite: "clipboard-write" };
  let isApart = false;
  try { void top.document.title; } catch { isApart = true; }
  if (parent === window || !isApart) return void document.body.append("This page must be of another origin than its host.");
  let frame;
  let loads = 0;
  addEventListener("message", ({ source, origin, data }) => {
    if (source === parent && origin === host) {
      if (data?.method === prefix + "resource-ready") show(data.params);
      else if (frame && !isOwn(data)) frame.contentWindow.postMessage(data, "*");
    } else if (frame && source === frame.contentWindow && origin === "null" && !isOwn(data)) parent.postMessage(data, host);
  });
  function show({ html, sandbox = "allow-scripts allow-forms", permissions = {} }) {
    if (loads > 0 || frame) return;
    frame = document.createElement("iframe");
    frame.setAttribute("sandbox", sandbox);
    frame.allow = Object.keys(features).filter((name) => permissions[name]).map((name) => features[name] + " *").join("; ");
    frame.addEventListener("load", () => {
      if (++loads === 1) return;
      frame.remove();
      frame = undefined;
      tell("view-left");
    });
    frame.srcdoc = html;
    document.body.append(frame);
  }
  tell("proxy-ready");
})();`;

const PAGE = `<!doctype html>
<html>
<head><meta charset="utf-8"><title>View</title>
<style>html, body, iframe { margin: 0; border: 0; width: 100%; height: 100%; display: block } body { overflow: hidden }</style></head>
<body><script>${SCRIPT}</script></body>
</html>
`;

/**
 * Makes the handler of the sandbox page. Serve it on an origin of its own, which has nothing else: another host name, or for
 * development another port. Security: it must not be the origin of the host, and no cookie may be valid on it.
 * @throws TypeError if `hosts` is empty or has a value that is not an origin
 * @example
 * ```ts
 * import { createSandboxHandler } from "tenon/ext/apps/host";
 *
 * const handler = createSandboxHandler({ hosts: ["https://chat.example"] });
 * const response = handler(new Request("https://sandbox.example/?host=https://chat.example"));
 * console.log(response.status); // 200
 * ```
 */
export function createSandboxHandler(options: SandboxOptions): (request: Request) => Response {
  assertKnown("createSandboxHandler()", options, SANDBOX_OPTIONS);
  const hosts = options.hosts.map(toOrigin);
  if (hosts.length === 0) throw new TypeError('Option "hosts" must name at least one origin');
  return ({ method, url }) => {
    if (method !== "GET") return refuse(405, "Only GET is served");
    const { searchParams } = new URL(url);
    const host = searchParams.get("host");
    if (host === null || !hosts.includes(host)) return refuse(403, 'This host is not among the "hosts" of the sandbox');
    try {
      const csp = parseCsp(JSON.parse(searchParams.get("csp") ?? "{}"));
      return new Response(PAGE, { headers: headersOf(`${policyOf(csp)}; frame-ancestors ${host}`) });
    } catch (error) {
      return refuse(400, error instanceof InvalidViewError ? error.message : "csp is not JSON");
    }
  };
}

function headersOf(policy: string): Record<string, string> {
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "origin-agent-cluster": "?1",
    "x-dns-prefetch-control": "off",
    "cache-control": "public, max-age=3600",
  };
}

function refuse(status: number, reason: string): Response {
  return new Response(reason, { status, headers: { "content-type": "text/plain", "x-content-type-options": "nosniff" } });
}

function toOrigin(value: string): string {
  const { origin, protocol } = new URL(value);
  if (origin !== value || !/^https?:$/.test(protocol)) throw new TypeError(`"${value}" is not an origin, such as "https://chat.example"`);
  return origin;
}
