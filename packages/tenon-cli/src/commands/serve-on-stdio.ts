/** Serves the server that a file exports on stdin and stdout. A file that reads stdin itself serves already, so it is left alone. */
import { Console } from "node:console";
import { serveStdio } from "tenon/node";
import { loadFile, serverIn, showFailure } from "./server-file.ts";

/**
 * Loads a file as the program of this process, with its arguments in `process.argv`. From here on stdout carries the protocol, also while
 * the file is loading. @param path absolute @param file as typed @throws Error if the file fails, after its own error was shown
 */
export async function loadServed(path: string, file: string, words: readonly string[]): Promise<Record<string, unknown>> {
  process.argv = [process.argv[0]!, path, ...words];
  globalThis.console = new Console(process.stderr);
  try {
    return await loadFile(path);
  } catch (cause) {
    await showFailure(cause, file);
    throw new Error(`${file} failed while it was loaded`, { cause });
  }
}

/** @param serving called before it serves @throws ServerFileError if the file exports no server and does not serve by itself */
export async function serveOnStdio(exported: Record<string, unknown>, file: string, serving: () => void = () => {}): Promise<void> {
  if (process.stdin.listenerCount("data") + process.stdin.listenerCount("readable") > 0) return;
  const server = serverIn(exported, file);
  serving();
  await serveStdio(server);
}
