/**
 * Hooks of Node's module loader inside a generation: they report the files that the author's code imports, and on Node 20 remove types.
 *
 * Node runs this file in a thread of its own, with `register()`.
 */
import { readFileSync } from "node:fs";
import type { LoadHook, ResolveHook } from "node:module";
import { fileURLToPath } from "node:url";
import type { MessagePort } from "node:worker_threads";

/** JavaScript of files, by URL. */
type HookSources = ReadonlyMap<string, string>;
/** A message to the hooks, which they confirm with "ready": sources, or nothing but a wish for that response. */
export type HookOrder = HookSources | "flush";
/** A message from the hooks: a file that is loaded, or a package that a file of the author imports. */
export type HookNews = { readonly file: string } | { readonly package: string };

export interface HookData {
  readonly port: MessagePort;
  /** Whether to remove types here. */
  readonly strip: boolean;
}

let data: HookData | undefined;
let sources: HookSources = new Map();

export function initialize(given: HookData): void {
  data = given;
  endWithFront();
  given.port.on("message", (order: HookOrder) => {
    if (order !== "flush") sources = order;
    given.port.postMessage("ready", []);
  });
  given.port.unref();
}

export const resolve: ResolveHook = async (specifier, context, next) => {
  const resolved = await next(specifier, context);
  const { parentURL = "" } = context;
  if (isPackage(resolved.url) && parentURL.startsWith("file:") && !isPackage(parentURL))
    data?.port.postMessage({ package: resolved.url }, []);
  return resolved;
};

export const load: LoadHook = async (url, context, next) => {
  if (!url.startsWith("file:") || isPackage(url)) return next(url, context);
  data?.port.postMessage({ file: url }, []);
  const { pathname } = new URL(url);
  if (data?.strip !== true || !/\.[mc]?ts$/.test(pathname)) return next(url, context);
  const source = sources.get(url) ?? (await stripped(url));
  return { format: pathname.endsWith(".cts") ? "commonjs" : "module", source, shortCircuit: true };
};

async function stripped(url: string): Promise<string> {
  const { stripTypes } = await import("./strip-types.ts");
  const path = fileURLToPath(url);
  return stripTypes(readFileSync(path, "utf8"), path);
}

function isPackage(url: string): boolean {
  return url.includes("/node_modules/");
}

/** Milliseconds between two looks. */
const LOOK_MS = 1_000;

/**
 * Kills this process once its front, which has started it, is gone without a word, as at SIGKILL. It runs in the thread of the hooks: the
 * author's code may loop, and then the main thread does not see that its channel has closed.
 */
function endWithFront(): void {
  const front = process.ppid;
  setInterval(() => {
    if (!isParent(front)) process.kill(process.pid, "SIGKILL");
  }, LOOK_MS);
}

/** The system gives the process another parent; Windows does not. */
function isParent(front: number): boolean {
  try {
    process.kill(front, 0);
    return process.ppid === front;
  } catch {
    return false;
  }
}
