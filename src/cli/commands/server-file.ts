/**
 * A file that is to be served: how it is loaded, and which of its exports is the server.
 *
 * TypeScript is Node's own where Node can, and jiti's on Node 20.
 */
import { extname } from "node:path";
import { pathToFileURL } from "node:url";
import { isPromise } from "../../base/maybe-promise.ts";
import { isAcceptor, type Acceptor } from "../../dispatch/acceptor.ts";
import { ServerFileError } from "../failure.ts";

/** @throws whatever the file throws */
export async function loadFile(path: string): Promise<Record<string, unknown>> {
  const { href } = pathToFileURL(path);
  if (!/^\.[mc]?ts$/.test(extname(path)) || canReadTypeScript()) return (await import(href)) as Record<string, unknown>; // a module's namespace
  const { createJiti } = await import("jiti");
  return createJiti(import.meta.url, { fsCache: false, interopDefault: false }).import(href);
}

/** Node 22.18 and later, where it was not switched off; older versions do not have the member. */
function canReadTypeScript(): boolean {
  const { typescript } = process.features as { typescript?: string | false };
  return typeof typescript === "string";
}

/** What the stack frames of the command begin with: its files are in one folder of the package. */
const OWN_FILES = new URL("../", import.meta.url).href;

/**
 * Shows why a file failed, without what is ours of the stack. A syntax error of a module does not say where it is: only
 * Node knows, and shows it when it ends the process for it. Then this never resolves.
 */
export async function showFailure(cause: unknown, file: string): Promise<void> {
  if (!(cause instanceof Error) || cause.stack === undefined) return console.error(cause);
  const lines = cause.stack.split("\n").filter((line) => !line.includes(OWN_FILES) && !line.includes("(node:internal"));
  cause.stack = lines.join("\n");
  if (!(cause instanceof SyntaxError) || lines.some((line) => /^ +at /.test(line))) return console.error(cause);
  console.error(`${file} failed while it was loaded:`);
  setImmediate(() => {
    throw cause;
  });
  await new Promise(() => undefined);
}

/** @throws ServerFileError where there is none, or more than one and none of them the default */
export function serverIn(exported: Record<string, unknown>, file: string): Acceptor {
  if (isAcceptor(exported["default"])) return exported["default"];
  const servers = Object.entries(exported).filter((entry): entry is [string, Acceptor] => isAcceptor(entry[1]));
  const [first, second] = servers;
  if (first === undefined) {
    throw new ServerFileError(
      `${file} exports no McpServer and does not serve stdio itself. ${describeExports(exported)} Add: export const server = new McpServer(…)`,
    );
  }
  if (second !== undefined && second[1] !== first[1]) {
    throw new ServerFileError(
      `${file} exports several servers (${servers.map(([name]) => name).join(", ")}). Make one of them the default export.`,
    );
  }
  return first[1];
}

function describeExports(exported: Record<string, unknown>): string {
  const entries = Object.entries(exported).filter(([name]) => name !== "__esModule");
  if (entries.length === 0) return "It exports nothing.";
  return `It exports ${entries.map(([name, value]) => `${name} (${describeValue(value)})`).join(", ")}.`;
}

function describeValue(value: unknown): string {
  if (typeof value === "function") return /^class\b/.test(Function.prototype.toString.call(value)) ? "a class" : "a function";
  if (value === null || typeof value !== "object") return value === null ? "null" : typeof value;
  if (isPromise(value)) return "a promise";
  return value.constructor.name === "McpServer" ? "an McpServer of another library: let the file serve stdio itself" : "an object";
}
