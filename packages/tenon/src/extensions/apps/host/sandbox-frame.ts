/** The frame of the sandbox page: makes it, waits until the page is there, and hands it the view. */
import { McpError, ErrorCode } from "../../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import type { LoadedView } from "./loaded-view.ts";

const READY = "ui/notifications/sandbox-proxy-ready";
const LEFT = "ui/notifications/sandbox-view-left";
const FEATURES = { camera: "camera", microphone: "microphone", geolocation: "geolocation", clipboardWrite: "clipboard-write" };

export interface SandboxFrameOptions {
  readonly sandbox: URL;
  /** Milliseconds to wait for the page. */
  readonly timeout: number;
}

/** Puts the frame into `container`. Its page is on another origin, and has the view's policy. */
function createFrame(container: Element, { csp, permissions }: LoadedView, sandbox: URL): HTMLIFrameElement {
  const url = new URL(sandbox);
  url.searchParams.set("host", location.origin);
  url.searchParams.set("csp", JSON.stringify(csp));
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms");
  frame.allow = permissions.map((permission) => FEATURES[permission]).join("; ");
  frame.referrerPolicy = "no-referrer";
  frame.style.cssText = "display: block; width: 100%; border: 0; height: 0";
  frame.src = url.href;
  container.append(frame);
  return frame;
}

/**
 * Opens the sandbox page in a frame, and resolves when it is ready for a view.
 * @throws McpError -32000 if the page does not respond in time; the frame is removed then
 */
export async function openFrame(
  container: Element,
  view: LoadedView,
  { sandbox, timeout }: SandboxFrameOptions,
): Promise<HTMLIFrameElement> {
  const frame = createFrame(container, view, sandbox);
  const stops: (() => void)[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(silent(sandbox, timeout)), timeout);
      stops.push(() => clearTimeout(timer), onProxyMessage(frame, sandbox.origin, READY, resolve));
    });
    return frame;
  } catch (error) {
    frame.remove();
    throw error;
  } finally {
    for (const stop of stops) stop();
  }
}

function silent({ origin }: URL, timeout: number): McpError {
  const advice = `is it served by createSandboxHandler(), with ${location.origin} among its "hosts"?`;
  return new McpError(
    ErrorCode.ConnectionClosed,
    `The sandbox page of ${origin} was not ready after ${timeout} ms (option "limits.sandboxTimeout"): ${advice}`,
  );
}

/** Gives the page the view, which begins to run. */
export function showView(frame: HTMLIFrameElement, { html, csp, permissions }: LoadedView, origin: string): void {
  const params: JsonObject = { html, csp, permissions: Object.fromEntries(permissions.map((permission) => [permission, {}])) };
  frame.contentWindow!.postMessage({ jsonrpc: "2.0", method: "ui/notifications/sandbox-resource-ready", params }, origin);
}

/** Calls `listener` if the view has left its page for another. Returns a function that stops. */
export function onLeft(frame: HTMLIFrameElement, origin: string, listener: () => void): () => void {
  return onProxyMessage(frame, origin, LEFT, listener);
}

/** The sandbox page relays no message of a view with these names, so they are its own. */
function onProxyMessage(frame: HTMLIFrameElement, origin: string, method: string, listener: () => void): () => void {
  const onMessage = (event: MessageEvent<{ method?: unknown } | null>): void => {
    if (event.source === frame.contentWindow && event.origin === origin && event.data?.method === method) listener();
  };
  addEventListener("message", onMessage);
  return () => removeEventListener("message", onMessage);
}
