/**
 * Loads a file that is to be served, and finds the server among its exports.
 *
 * TypeScript runs on Node itself if Node supports it, and otherwise, on Node 20, by jiti.
 */
import { pathToFileURL } from "node:url";
import { isServable, isPromise } from "tenon/internal";
import type { Servable } from "tenon";
import { ServerFileError } from "../failure.ts";
import { ownFolders } from "../version.ts";
import { missingImport } from "./missing-import.ts";
import { readsTypeScript, TYPESCRIPT } from "./typescript.ts";

/** @throws what the file throws */
export async function loadFile(path: string): Promise<Record<string, unknown>> {
  const { href } = pathToFileURL(path);
  if (!TYPESCRIPT.test(path) || readsTypeScript()) return (await import(href)) as Record<string, unknown>; // a module's namespace
  const { createJiti } = await import("jiti");
  return createJiti(import.meta.url, { fsCache: false, interopDefault: false }).import(href);
}

/** The URL prefixes of the files of the command and of Tenon, to remove them from stack traces. */
const ownFiles = (): string[] => ownFolders().map((folder) => pathToFileURL(folder).href);

/** The stack of an error without the frames of the command and of Node. For an import of what is not there it is what to do. */
export function ownStack(error: unknown): string {
  if (!(error instanceof Error) || error.stack === undefined) return String(error);
  const missing = missingImport(error);
  if (missing !== undefined) return missing;
  const lines = error.stack.split("\n");
  const own = ownFiles();
  return lines.filter((line) => !own.some((prefix) => line.includes(prefix)) && !/\(?node:internal/.test(line)).join("\n");
}

/**
 * Shows why a file failed, without the command's own stack frames. Only Node knows the position of a module's syntax error, and
 * shows it when it ends the process. In that case this never resolves.
 */
export async function showFailure(cause: unknown, file: string): Promise<void> {
  if (!(cause instanceof Error) || cause.stack === undefined) return console.error(cause);
  const missing = missingImport(cause);
  if (missing !== undefined) return console.error(missing);
  const lines = ownStack(cause).split("\n");
  cause.stack = lines.join("\n");
  if (!(cause instanceof SyntaxError) || lines.some((line) => /^ +at /.test(line))) return console.error(cause);
  console.error(`${file} failed while it was loaded:`);
  setImmediate(() => {
    throw cause;
  });
  await new Promise(() => undefined);
}

/** @throws ServerFileError if there is no server, or several without a default export */
export function serverIn(exported: Record<string, unknown>, file: string): Servable {
  if (isServable(exported["default"])) return exported["default"];
  const servers = Object.entries(exported).filter((entry): entry is [string, Servable] => isServable(entry[1]));
  const [first, second] = servers;
  if (first === undefined) throw new ServerFileError(whyNone(exported, file));
  if (second !== undefined && second[1] !== first[1]) {
    throw new ServerFileError(
      `${file} exports several servers (${servers.map(([name]) => name).join(", ")}). Make one of them the default export.`,
    );
  }
  return first[1];
}

function whyNone(exported: Record<string, unknown>, file: string): string {
  if (process.getActiveResourcesInfo().includes("TCPServerWrap")) {
    return (
      `${file} listens on a port itself. Start it with node instead, and give its URL in place of the file, ` +
      "or let it export its server, and leave serveHttp() out: export const server = new McpServer(…)"
    );
  }
  return `${file} exports no McpServer and does not serve stdio itself. ${describeExports(exported)} Add: export const server = new McpServer(…)`;
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
