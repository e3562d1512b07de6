/**
 * The page of `tenon dev`: the page of `tenon inspect` for the file that is served, with each reload among its activities.
 *
 * It starts when the first version of the file is loaded, so that it slows down no start, and connects when it is opened, so that it
 * costs nothing before.
 */
import { createInterface, type Interface } from "node:readline";
import type { Inspector } from "../../inspector/start-inspector.ts";
import type { InspectorModel } from "../../inspector/target/model-drafts.ts";
import type { InspectorTarget } from "../../inspector/target/inspector-target.ts";
import { defaultFetch, openBrowserWith } from "tenon/internal";
import type { Fetch } from "tenon/client";
import { resolveWords } from "../../connection/target.ts";
import { portMistake } from "../../commands/run-options.ts";
import { portOf, type Invocation } from "../../invocation.ts";
import { clientInfo, pageFolder } from "../../version.ts";
import type { Traffic } from "../front/client-tap.ts";
import type { DefinitionChange } from "./difference.ts";
import type { DevEvent } from "./events.ts";

/** The header of requests of the page. */
const MARK = "tenon-dev-page";

export interface DevPageOptions {
  readonly file: string;
  readonly invocation: Invocation;
  readonly model?: InspectorModel;
  readonly server: InspectorTarget["server"];
  /** Writes a line for people, or of JSON. */
  readonly print: (line: string) => void;
}

export class DevPage {
  /** What the page shows of other clients. */
  readonly traffic: Traffic;
  readonly #options: DevPageOptions;
  /** Marks the requests of the page itself. */
  readonly #mark: string = crypto.randomUUID();
  #inspector: Inspector | undefined;
  #starting: Promise<Inspector | undefined> | undefined;
  #keys: Interface | undefined;
  #isClosed = false;

  constructor(options: DevPageOptions) {
    this.#options = options;
    let clients = 0;
    this.traffic = {
      log: () => this.#inspector?.log(),
      isOwn: ({ transport }) => transport.header?.(MARK) === this.#mark,
      nextNumber: () => ++clients,
    };
  }

  /** Shows an event among the activities. The first one starts the page. */
  tell(event: DevEvent): void {
    this.#starting ??= this.#start();
    void this.#starting.then((inspector) => {
      if (inspector === undefined) return;
      const { text, ...rest } = noteOf(event);
      inspector.note(text, rest);
      if (event.kind === "served") inspector.reconnect();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#keys?.close();
    await (await this.#starting)?.close();
  }

  async #start(): Promise<Inspector | undefined> {
    const { invocation, print, model } = this.#options;
    const port = portOf(invocation.values, "ui-port") ?? 0;
    try {
      const [{ startInspector }, { marksOf }] = await Promise.all([
        import("../../inspector/start-inspector.ts"),
        import("../../check/marks.ts"),
      ]);
      const targets = [await this.#target()];
      const own = { folder: pageFolder(), port, clientInfo: clientInfo(), marksOf, waitsForPage: true, ...(model && { model }) };
      const inspector = await startInspector({ targets, ...own });
      if (this.#isClosed) return inspector;
      this.#inspector = inspector;
      this.#show(inspector, isAtTerminal(invocation));
      this.#listenToKeys(inspector);
      return inspector;
    } catch (cause) {
      const error = portMistake(cause, port, "ui-port") ?? cause;
      const why = error instanceof Error ? error.message : String(error);
      print(invocation.values.json === true ? JSON.stringify({ at: new Date().toISOString(), kind: "no page", why }) : `No page: ${why}`);
      return undefined;
    }
  }

  async #target(): Promise<InspectorTarget> {
    const { file, invocation, server } = this.#options;
    const { examine, moduleOf, startAnywhere } = await import("../../inspect/targets.ts");
    const { shell } = invocation;
    const module = moduleOf(file, shell.cwd);
    return {
      name: file,
      typed: file,
      server: "url" in server ? { ...server, fetch: this.#marking } : server,
      ...(module && { module }),
      ...(!("url" in server) && { start: startAnywhere(resolveWords([file], shell), shell) }),
      ...("url" in server && { doctor: (signal: AbortSignal) => examine(new URL(server.url), { ...invocation, signal }) }),
    };
  }

  /** Below what the wire shows, so that no copy of a request has the mark. */
  readonly #marking: Fetch = (url, init) => defaultFetch(url, { ...init, headers: { ...init.headers, [MARK]: this.#mark } });

  /** Prints a new address, and opens it in the browser if `opens`. */
  #show(inspector: Inspector, opens: boolean): void {
    const { invocation, print } = this.#options;
    const url = inspector.address();
    if (invocation.values.json === true) print(JSON.stringify({ at: new Date().toISOString(), kind: "page", url }));
    else print(`The page: ${url}`);
    if (!opens) return;
    openBrowserWith(invocation.shell.env, new URL(url)).then(
      () => print("It opens in your browser; o and Enter opens it again."),
      () => print("No browser could be opened here: copy the address."),
    );
  }

  /** A pipe on stdin is a host, which says nothing to the page. */
  #listenToKeys(inspector: Inspector): void {
    const { stdin } = this.#options.invocation.shell;
    if (stdin.isTTY !== true) return;
    this.#keys = createInterface({ input: stdin });
    this.#keys.on("line", (line) => {
      if (line.trim().toLowerCase() === "o") this.#show(inspector, true);
    });
  }
}

/** A browser opens by itself only where a person sees it. */
function isAtTerminal({ values, shell: { env, stdin } }: Invocation): boolean {
  const { CI = "" } = env;
  return values["no-open"] !== true && values.json !== true && stdin.isTTY === true && CI === "";
}

function noteOf(event: DevEvent): { readonly text: string; readonly level?: "info" | "error"; readonly data?: unknown } {
  switch (event.kind) {
    case "served": {
      const { number, ms, files, changes, warnings } = event;
      const what = changes.map(changeText).join(", ");
      const text = number === 1 ? `Loaded in ${ms} ms` : `Reloaded in ${ms} ms${what === "" ? "" : `: ${what}`}`;
      return { text, data: { files, changes, warnings } };
    }
    case "failed":
      return { text: `${event.message}${event.isServing ? "\nThe version before is still served." : ""}`, level: "error" };
    case "ended":
      return { text: `The server has ended by itself: ${event.how}`, level: "error" };
    default:
      return { text: `Not watched: ${event.folder}: ${event.message}`, level: "error" };
  }
}

function changeText({ sign, kind, name, meaning }: DefinitionChange): string {
  return `${sign}${kind} ${name}${meaning === "breaking" ? " (breaking)" : ""}`;
}
