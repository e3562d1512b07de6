/** Serves a file that is reloaded at each save, on stdio or over HTTP: the work of `tenon dev` and of `tenon run --watch`. */
import { resolve } from "node:path";
import { onAbort } from "../../base/abort.ts";
import { serveHttp } from "../../node/http/serve-http.ts";
import { serveStdio } from "../../node/stdio/serve-stdio.ts";
import { DRAIN_MS, portMistake } from "../commands/run-options.ts";
import type { Invocation } from "../invocation.ts";
import type { DevEvent } from "./events.ts";
import { Front } from "./front.ts";
import { Reloader } from "./reloader.ts";
import { reportAsJson, reportTo } from "./terminal-report.ts";

/** Milliseconds that calls in an old version may take. */
const OLD_CALLS_MS = 30_000;

export interface ReloadingOptions {
  readonly file: string;
  readonly port: number | undefined;
  readonly isHttp: boolean;
  readonly invocation: Invocation;
}

/** Serves until the connection on stdio ends, or until Ctrl-C. */
export async function serveReloading({ file, port, isHttp, invocation }: ReloadingOptions): Promise<undefined> {
  const front = new Front(OLD_CALLS_MS);
  return isHttp ? serveOverHttp({ file, port, invocation }, front) : serveOnStdio({ file, invocation }, front);
}

type Options = Omit<ReloadingOptions, "isHttp" | "port">;

function startReloader(
  { file, invocation }: Options,
  { front, url }: { front: Front; url: string },
  tell: (event: DevEvent) => void,
): Reloader {
  const reloader = new Reloader({ path: resolve(file), args: invocation.words ?? [], front, url, tell });
  void reloader.start();
  return reloader;
}

/** stdout carries the protocol, so stderr says what happens. */
async function serveOnStdio(options: Options, front: Front): Promise<undefined> {
  const { terminal, values } = options.invocation;
  const tell = values.json === true ? reportAsJson((line) => terminal.note(line)) : reportTo(terminal);
  const reloader = startReloader(options, { front, url: "http://127.0.0.1:0/mcp" }, tell);
  const close = async (): Promise<void> => {
    await reloader.close();
    await front.close();
  };
  await serveStdio({ accept: (dispatcher) => front.accept(dispatcher), close });
  return undefined;
}

async function serveOverHttp(options: Options & { port: number | undefined }, front: Front): Promise<undefined> {
  const { file, port, invocation } = options;
  const { terminal, signal, values } = invocation;
  const endpoint = await serveHttp(front, port === undefined ? {} : { port }).catch((cause: unknown) => {
    throw portMistake(cause, port) ?? cause;
  });
  const { url } = endpoint;
  const print = (line: string): void => void terminal.print(line);
  const tell = values.json === true ? reportAsJson(print) : reportTo(terminal);
  if (values.json === true) print(JSON.stringify({ at: new Date().toISOString(), kind: "listening", url }));
  else terminal.note(`Serving ${file} at ${url}, and reloading it at each save. Ctrl-C ends it.`);
  const reloader = startReloader(options, { front, url }, tell);
  await new Promise<void>((ended) => (signal.aborted ? ended() : onAbort(signal, ended)));
  await endpoint.drain(DRAIN_MS);
  await reloader.close();
  await front.close();
  return undefined;
}
