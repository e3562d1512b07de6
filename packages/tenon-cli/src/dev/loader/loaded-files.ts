/** Registers the hooks of `load-hooks.ts` in a generation, and collects what they report. */
import { createRequire, register } from "node:module";
import { fileURLToPath } from "node:url";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import type { HookNews, HookOrder } from "./load-hooks.ts";
import { readsTypeScript } from "../../commands/typescript.ts";
import { ownFolders } from "../../version.ts";

export class LoadedFiles {
  readonly #port: MessagePort;
  readonly #files = new Set<string>();
  readonly #packages = new Set<string>();
  #ready: (() => void) | undefined;
  /** Called when there is something new. */
  onNews: () => void = () => undefined;

  constructor() {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.on("message", (news: HookNews | "ready") => this.#take(news));
    port1.unref();
    register("#dev-hooks", import.meta.url, { data: { port: port2, strip: !readsTypeScript() }, transferList: [port2] });
  }

  /** Gives the hooks the JavaScript of files. Resolves when they have it. */
  give(sources: ReadonlyMap<string, string>): Promise<void> {
    return this.#send(sources);
  }

  /** Resolves when everything that has been loaded so far is in `files`: news are delivered in order. */
  settled(): Promise<void> {
    return this.#send("flush");
  }

  async #send(order: HookOrder): Promise<void> {
    this.#port.ref();
    await new Promise<void>((resolve) => {
      this.#ready = resolve;
      this.#port.postMessage(order, []);
    });
    this.#port.unref();
  }

  #take(news: HookNews | "ready"): void {
    if (news === "ready") return this.#ready?.();
    if ("file" in news) this.#files.add(fileURLToPath(news.file));
    else this.#packages.add(news.package);
    this.onNews();
  }

  /** Paths of the author's files, those loaded by `require()` included. */
  get files(): string[] {
    const required = Object.keys(createRequire(import.meta.url).cache).filter((path) => !path.includes("node_modules"));
    const own = ownFolders(); // a link may lead to them
    return [...new Set([...this.#files, ...required])].filter((path) => !own.some((folder) => path.startsWith(folder)));
  }

  get packages(): string[] {
    return [...this.#packages];
  }
}
