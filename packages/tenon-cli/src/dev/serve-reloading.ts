/** Serves a file that is reloaded at each save, on stdio or over HTTP: the work of `tenon dev` and of `tenon run --watch`. */
import { resolve } from "node:path";
import { onAbort } from "tenon/internal";
import { serveHttp, serveStdio } from "tenon/node";
import type { InspectorModel } from "../inspector/target/model-drafts.ts";
import { DRAIN_MS, portMistake } from "../commands/run-options.ts";
import type { Invocation } from "../invocation.ts";
import type { DevEvent } from "./page/events.ts";
import { DevPage } from "./page/dev-page.ts";
import { Front } from "./front/front.ts";
import { Reloader } from "./reloader.ts";
import { reportAsJson, reportTo } from "./page/terminal-report.ts";

/** Milliseconds that calls in an old version may take. */
const OLD_CALLS_MS = 30_000;

export interface ReloadingOptions {
  readonly file: string;
  readonly port: number | undefined;
  readonly isHttp: boolean;
  readonly invocation: Invocation;
  /** Whether there is a page. Default false. */
  readonly hasPage?: boolean;
  /** The model that can draft answers on the page. */
  readonly model?: InspectorModel;
}

/** Serves until the connection on stdio ends, or until Ctrl-C. */
export async function serveReloading({ isHttp, ...options }: ReloadingOptions): Promise<undefined> {
  const front = new Front(OLD_CALLS_MS);
  return isHttp ? serveOverHttp(options, front) : serveOnStdio(options, front);
}

type Options = Omit<ReloadingOptions, "isHttp">;

function startReloader(
  { file, invocation }: Options,
  { front, url }: { front: Front; url: string },
  tell: (event: DevEvent) => void,
): Reloader {
  const { cwd } = invocation.shell;
  const reloader = new Reloader({ path: resolve(cwd, file), cwd, args: invocation.words ?? [], front, url, tell });
  void reloader.start();
  return reloader;
}

/** stdout carries the protocol, so stderr says what happens. */
async function serveOnStdio(options: Options, front: Front): Promise<undefined> {
  const { shell, terminal, values } = options.invocation;
  const note = (line: string): void => terminal.note(line);
  const tell = values.json === true ? reportAsJson(note) : reportTo(terminal, shell.cwd);
  const page =
    options.hasPage === true
      ? new DevPage({ ...options, server: { accept: (dispatcher) => front.accept(dispatcher, false) }, print: note })
      : undefined;
  front.traffic = page?.traffic;
  const reloader = startReloader(options, { front, url: "http://127.0.0.1:0/mcp" }, toBoth(tell, page));
  const close = async (): Promise<void> => {
    await Promise.all([reloader.close(), page?.close()]);
    await front.close();
  };
  await serveStdio({ accept: (dispatcher) => front.accept(dispatcher), close });
  return undefined;
}

function toBoth(tell: (event: DevEvent) => void, page: DevPage | undefined): (event: DevEvent) => void {
  return (event) => {
    tell(event);
    page?.tell(event);
  };
}

async function serveOverHttp(options: Options, front: Front): Promise<undefined> {
  const { file, port, invocation } = options;
  const { shell, terminal, signal, values } = invocation;
  const endpoint = await serveHttp(front, port === undefined ? {} : { port }).catch((cause: unknown) => {
    throw portMistake(cause, port) ?? cause;
  });
  const { url } = endpoint;
  const print = (line: string): void => void terminal.print(line);
  const tell = values.json === true ? reportAsJson(print) : reportTo(terminal, shell.cwd);
  if (values.json === true) print(JSON.stringify({ at: new Date().toISOString(), kind: "listening", url }));
  else terminal.note(`Serving ${file} at ${url}, and reloading it at each save. Ctrl-C ends it.`);
  const line = values.json === true ? print : (text: string): void => terminal.note(text);
  const page = options.hasPage === true ? new DevPage({ ...options, server: { url }, print: line }) : undefined;
  front.traffic = page?.traffic;
  const reloader = startReloader(options, { front, url }, toBoth(tell, page));
  await new Promise<void>((ended) => (signal.aborted ? ended() : onAbort(signal, ended)));
  await page?.close(); // it is a client like any other
  await endpoint.drain(DRAIN_MS);
  await reloader.close();
  await front.close();
  return undefined;
}
