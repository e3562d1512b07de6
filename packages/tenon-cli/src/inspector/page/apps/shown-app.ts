/**
 * One view of a tool while it is shown: its host, what it wants of the user, and what it said.
 *
 * Security: a view is a program of the server. It reaches its own server only; it uses the network, calls a tool that may change
 * something, and opens a link only after the user has agreed to exactly that.
 */
import { effect, signal, type Signal } from "@preact/signals";
import { AppHost, type Approval, type AppClient } from "tenon/ext/apps/host";
import { ErrorCode, McpError, type CallOptions } from "tenon/client";
import type { CallToolResult, Tool, ListResourcesResult, ReadResourceResult } from "tenon";
import type { CallEntry, TargetEntry, ViewResponse } from "../../entries.ts";
import { scheme } from "../data/scheme.ts";
import { perform } from "../data/api.ts";
import { listOf } from "../data/store.ts";

/** Most wishes that wait, and most lines of what a view said. */
const MAX_WISHES = 20;
const MAX_SAID = 100;
/** The greatest height of a view, in CSS pixels. */
const MAX_HEIGHT = 1_000;

/** What a view wants, until the user has decided. */
export interface Wish {
  readonly id: number;
  readonly text: string;
  /** What exactly, such as the arguments of a call. */
  readonly detail?: unknown;
  /** The address that opens if the user agrees. */
  readonly href?: string;
  /** The tool that the user may allow for as long as the view is shown. */
  readonly tool?: string;
  readonly decide: (isAllowed: boolean) => void;
}

export interface Said {
  readonly kind: "message" | "for the model" | "log" | "problem";
  readonly value: unknown;
}

export class ShownApp {
  readonly wishes: Signal<readonly Wish[]> = signal([]);
  readonly said: Signal<readonly Said[]> = signal([]);
  readonly #host: AppHost;
  readonly #allowed = new Set<string>();
  readonly #result: Promise<CallToolResult>;
  readonly #stop: () => void;
  #end!: { resolve(result: CallToolResult): void; reject(error: Error): void };
  #last = 0;
  #isClosed = false;

  constructor({ target, sandbox }: TargetEntry) {
    this.#result = new Promise((resolve, reject) => (this.#end = { resolve, reject }));
    this.#result.catch(() => undefined); // the host sends it to the view
    this.#host = new AppHost({
      client: appClient(target),
      sandbox,
      info: { name: "tenon-inspector", version: "1" },
      context: { theme: scheme.peek(), platform: "web" },
      limits: { maxHeight: MAX_HEIGHT },
      approve: (request) => this.#approve(request),
      onOpenLink: ({ href }) => this.#wish({ text: "The view wants to open this address:", href }),
      onMessage: (content) => this.#say("message", content),
      onModelContext: (context) => this.#say("for the model", context),
      onLog: (message) => this.#say("log", message),
      onError: ({ message }) => this.#say("problem", message),
    });
    this.#stop = effect(() => this.#host.setContext({ theme: scheme.value }));
  }

  /** Shows the view of a call in `container`. What goes wrong is among what was said. */
  async show(container: Element, tool: Tool, { call, params }: CallEntry): Promise<void> {
    try {
      const view = await this.#host.mount(container, { tool, arguments: params, result: this.#result, id: call });
      view.frame.title = `View of ${tool.name}`;
      if (this.#isClosed) await view.close();
    } catch (error) {
      this.#say("problem", error instanceof Error ? error.message : String(error));
    }
  }

  /** Tells the view what became of its call, once it has ended. */
  follow({ state, result, failure }: CallEntry): void {
    if (result !== undefined) this.#end.resolve(result as unknown as CallToolResult); // the process has decoded it
    else if (state !== "running") this.#end.reject(new McpError(ErrorCode.InternalError, failure?.message ?? "The call was cancelled"));
  }

  /** Allows the tool of a wish, now and later. */
  allow({ tool, decide }: Wish): void {
    if (tool !== undefined) this.#allowed.add(tool);
    decide(true);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stop();
    for (const { decide } of this.wishes.peek()) decide(false);
    await this.#host.close();
  }

  #approve(request: Approval): boolean | Promise<boolean> {
    if (request.kind === "resource") return true;
    if (request.kind === "view") {
      const origins = [...new Set(Object.values(request.csp).flat())];
      return origins.length === 0 || this.#wish({ text: `The view wants to use the network: ${origins.join(", ")}` });
    }
    const { tool, arguments: detail } = request;
    if (tool.annotations?.readOnlyHint === true || this.#allowed.has(tool.name)) return true;
    return this.#wish({ text: `The view wants to call ${tool.name}`, detail, tool: tool.name });
  }

  /** Asks the user. A view that wants too much at a time is refused. */
  #wish(wanted: Omit<Wish, "id" | "decide">): boolean | Promise<boolean> {
    if (this.#isClosed || this.wishes.peek().length >= MAX_WISHES) return false;
    const id = ++this.#last;
    return new Promise((resolve) => {
      const decide = (isAllowed: boolean): void => {
        this.wishes.value = this.wishes.peek().filter((wish) => wish.id !== id);
        resolve(isAllowed);
      };
      this.wishes.value = [...this.wishes.peek(), { ...wanted, id, decide }];
    });
  }

  #say(kind: Said["kind"], value: unknown): void {
    this.said.value = [...this.said.peek().slice(1 - MAX_SAID), { kind, value }];
  }
}

/** The client of a host of views: it asks the process of the page. Requests of views reach the server of that number, and no other. */
function appClient(target: number): AppClient {
  const ask = async (method: string, name: string, params: object, { signal }: CallOptions = {}): Promise<unknown> => {
    const call = crypto.randomUUID();
    const cancel = (): void => void perform("cancel", { call }).catch(() => undefined); // the call may have ended
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      const { result, failure } = await perform<ViewResponse>("view", { target, call, method, name, params });
      if (failure === undefined) return result;
      const { code, message, data } = failure;
      throw new McpError(typeof code === "number" ? code : ErrorCode.InternalError, message, { data });
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  };
  return {
    // The page has read all pages of the list, and reads it again when it changes.
    listTools: () => Promise.resolve({ tools: (listOf(target, "tools")?.items ?? []) as readonly unknown[] as Tool[] }),
    callTool: (name, args = {}, options) => ask("tools/call", name, args, options) as Promise<CallToolResult>, // the process has decoded it
    readResource: (uri, options) => ask("resources/read", uri, {}, options) as Promise<ReadResourceResult>,
    listResources: (params = {}, options) => ask("resources/list", "resources/list", params, options) as Promise<ListResourcesResult>,
  };
}
