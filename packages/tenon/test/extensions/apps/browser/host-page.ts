/**
 * The script of the host page: an `AppHost` over HTTP, and what its callbacks received. The tests call it through the browser.
 */
import { connect, type Client } from "tenon/client";
import { apps } from "tenon/ext/apps";
import { AppHost, type AppHostOptions, type AppLimits, type HostContext, type MountedView } from "tenon/ext/apps/host";

export interface Settings {
  readonly url: string;
  readonly sandbox: string;
  readonly revision?: string;
  readonly context?: HostContext;
  readonly limits?: Partial<AppLimits>;
  readonly permissions?: AppHostOptions["permissions"];
  /** Kinds that are not approved. */
  readonly refused?: readonly string[];
  /** Callbacks that the host does not have. */
  readonly without?: readonly string[];
}

/** The name of a callback and its first argument, as JSON. */
export type Heard = readonly [name: string, value: unknown];

const harness = {
  heard: [] as Heard[],
  traffic: [] as { sender: string; message: unknown }[],
  url: "",
  client: undefined as Client | undefined,
  host: undefined as AppHost | undefined,
  view: undefined as MountedView | undefined,

  async start({ url, sandbox, revision, refused = [], without = [], ...more }: Settings): Promise<void> {
    harness.url = url;
    harness.client = await connect(url, { extensions: [apps()], ...(revision !== undefined && { revision: revision as never }) });
    const hear = (name: string, value: unknown, answer?: unknown): never => {
      harness.heard.push([name, JSON.parse(JSON.stringify(value ?? null))]);
      return answer as never; // what each callback returns
    };
    const callbacks: Partial<AppHostOptions> = {
      onMessage: (content) => hear("message", content),
      onOpenLink: (link) => hear("link", link, !link.href.includes("refused")),
      onModelContext: (context) => hear("context", context),
      onDisplayMode: (mode) => hear("mode", mode, mode === "pip" ? "inline" : mode),
      onDownload: (contents) => hear("download", contents),
      onSample: (params) => hear("sample", params, { role: "assistant", model: "m", content: { type: "text", text: "sampled" } }),
      onLog: (message) => hear("log", message),
    };
    for (const name of without) delete callbacks[name as keyof typeof callbacks];
    harness.host = new AppHost({
      client: harness.client,
      sandbox,
      info: { name: "page", version: "1" },
      approve: ({ kind, ...request }) => {
        harness.heard.push([`approve ${kind}`, "uri" in request ? request.uri : request.tool.name]);
        return !refused.includes(kind);
      },
      onTraffic: (sender, message) => harness.traffic.push({ sender, message }),
      onError: ({ name, message }) => harness.heard.push(["error", `${name}: ${message}`]),
      ...callbacks,
      ...(more as Partial<AppHostOptions>),
    });
  },

  async mount(name: string, call: { arguments?: Record<string, unknown>; calls?: boolean } = {}): Promise<void> {
    const { tools } = await harness.client!.listTools();
    const tool = tools.find((one) => one.name === name)!;
    const { calls, ...given } = call;
    const result = calls ? harness.client!.callTool(name, call.arguments) : undefined;
    harness.view = await harness.host!.mount(document.querySelector("#views")!, { tool, ...given, ...(result && { result }) });
  },
};

export type Harness = typeof harness;
declare global {
  // oxlint-disable-next-line no-var -- a global of the page
  var harness: Harness;
}
globalThis.harness = harness;
