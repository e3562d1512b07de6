/**
 * The program of a generation: a child process of `tenon dev` that runs one version of the author's file.
 *
 * It starts as a spare, with nothing of the author's, and waits for the order to load. It ends when the front ends or says so. Whatever
 * the author's code does here, the front keeps the connections.
 */
import { Console } from "node:console";
import { acceptorOf, finishesWithin, isServable, setDevHost, systemClock } from "tenon/internal";
import type { Acceptor } from "tenon";
import { ownStack, serverIn, loadFile } from "../../commands/server-file.ts";
import { ServerFileError } from "../../failure.ts";
import type { LoadOrder, Order, Report } from "../channel.ts";
import { definitionOf } from "../definition.ts";
import { HostedServer } from "./hosted-server.ts";
import { KeptValues } from "./kept-values.ts";
import { LoadedFiles } from "./loaded-files.ts";
import { pathToFileURL } from "node:url";
import { readsTypeScript, TYPESCRIPT } from "../../commands/typescript.ts";

/** Milliseconds for the callbacks of `onReload()`, and for the server to close. */
const END_MS = 2_000;

const files = new LoadedFiles();
const atEnd: (() => unknown)[] = [];
let keptValues = new KeptValues([]);
let hosted: HostedServer | undefined;

function send(report: Report): void {
  if (process.connected) process.send!(report, undefined, undefined, () => undefined);
}

process.on("disconnect", () => process.exit());
process.on("message", (order: Order) => take(order));
// Ctrl-C reaches all processes of a terminal: the front decides when this one ends.
process.on("SIGINT", () => undefined);

function take(order: Order): void {
  if (order.kind === "load") void load(order.order);
  else if (order.kind === "keep") send({ kind: "kept", ...keptValues.copy() });
  else if (order.kind === "end") void end();
  else if (order.kind === "warm") void warm(order.packages);
  else if (order.kind === "announce") hosted?.announce(order);
  else hosted?.take(order);
}

/** A package that cannot be imported fails again, and visibly, when the author's file imports it. */
async function warm(packages: readonly string[]): Promise<void> {
  for (const url of packages) await import(url).catch(() => undefined);
}

async function load(order: LoadOrder): Promise<void> {
  try {
    const server = await serverOf(order);
    await server.begin?.();
    const definition = await definitionOf(server);
    const { lintLines } = await import("../../check/lint.ts"); // when the author's file is there already
    hosted = new HostedServer(server, send);
    await files.settled();
    reportFiles();
    files.onNews = reportSoon;
    send({
      kind: "loaded",
      loaded: { definition, headerNames: server.http?.headerNames && new Map(server.http.headerNames), warnings: lintLines(definition) },
    });
  } catch (error) {
    await files.settled();
    reportFiles();
    send({ kind: "failed", message: error instanceof ServerFileError ? error.message : ownStack(error) });
  }
}

function keep<T>(name: string, version: number, make: () => T): T {
  return keptValues.keep(name, version, make);
}

/** The server that the file exports, or the one that it serves itself, whichever comes first. */
async function serverOf({ path, args, sources, kept: before, stateKey, url }: LoadOrder): Promise<Acceptor> {
  process.argv = [process.argv[0]!, path, ...args];
  // Output of the author's code must not be taken for the protocol.
  globalThis.console = new Console(process.stderr);
  keptValues = new KeptValues(before);
  await files.give(sources);
  const served = new Promise<Acceptor>((resolve, reject) => {
    const serve = (server: object): Promise<void> => {
      if (isServable(server)) resolve(acceptorOf(server));
      else reject(new TypeError("serveStdio and serveHttp need a server"));
      return new Promise(() => undefined);
    };
    setDevHost({ serve, url, stateKey, keep, onReload: (callback) => void atEnd.push(callback) });
  });
  return Promise.race([served, loadAuthorFile(path).then((exported) => exportedOr(exported, served, path))]);
}

/** A file may both export its server and serve it: then both are the same. */
async function exportedOr(exported: Record<string, unknown>, served: Promise<Acceptor>, path: string): Promise<Acceptor> {
  const none = Symbol();
  const first = await Promise.race([served, new Promise((resolve) => setImmediate(resolve, none))]);
  return acceptorOf(isServable(first) ? first : serverIn(exported, path));
}

let reporting = false;
/** A file may be imported late, when a handler runs. */
function reportSoon(): void {
  if (reporting) return;
  reporting = true;
  setImmediate(() => {
    reporting = false;
    reportFiles();
  });
}

function reportFiles(): void {
  send({ kind: "files", files: files.files, packages: files.packages });
}

async function end(): Promise<never> {
  const calls = atEnd.map(async (callback) => callback());
  for (const call of calls) call.catch((error: unknown) => console.error(error));
  await finishesWithin(systemClock, END_MS, Promise.allSettled(calls));
  if (hosted !== undefined)
    await finishesWithin(
      systemClock,
      END_MS,
      hosted.close().catch((error: unknown) => console.error(error)),
    );
  process.exit();
}

/** What only jiti can import: no extension, a folder, a name that is a type. Node finds these before any module has run. */
const UNLINKABLE: ReadonlySet<unknown> = new Set(["ERR_MODULE_NOT_FOUND", "ERR_UNSUPPORTED_DIR_IMPORT", "ERR_UNKNOWN_FILE_EXTENSION"]);

/** Loads the author's file: by Node, whose hooks remove types on Node 20, and else by jiti. @throws what the file throws */
async function loadAuthorFile(path: string): Promise<Record<string, unknown>> {
  if (readsTypeScript() || !TYPESCRIPT.test(path)) return loadFile(path);
  try {
    return (await import(pathToFileURL(path).href)) as Record<string, unknown>; // a module's namespace
  } catch (error) {
    if (!needsJiti(error)) throw error;
    return loadFile(path).catch(() => {
      throw error; // it says more of what Node lacks
    });
  }
}

function needsJiti(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return UNLINKABLE.has((error as NodeJS.ErrnoException).code) || /does not provide an export|require is not defined/.test(error.message);
}
