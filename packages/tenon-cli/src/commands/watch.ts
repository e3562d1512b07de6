/**
 * `tenon watch`: shows what a server says as it says it, one line each, until Ctrl-C: changes of its lists with what has changed,
 * changes of resources, log messages.
 */
import type { Client, ListenFilter, ServerChange } from "tenon/client";
import { cleanLine } from "tenon/internal";
import { withServer } from "../connection/connection.ts";
import { CLIENT_OPTIONS, type Command, type Invocation } from "../invocation.ts";

export const watch: Command = {
  summary: "show what a server says as it says it, until Ctrl-C",
  usage: ["watch <server> [--uri uri ...]", "watch -- <command> [argument ...]"],
  options: [...CLIENT_OPTIONS, "uri"],
  optionHelp: { json: ["--json", "one JSON document on each line"] },
  examples: ["tenon watch https://example.com/mcp", "tenon watch server.ts --uri notes://today --json"],
  run: async (invocation) => {
    await withServer(invocation, [], (client) => follow(client, invocation), {
      onLog: (message) => void say(invocation, { kind: "log", ...message }),
    });
    return undefined;
  },
};

type Said =
  | { readonly kind: "tools" | "prompts" | "resources"; readonly added: string[]; readonly removed: string[]; readonly changed: string[] }
  | { readonly kind: "resource"; readonly uri: string }
  | { readonly kind: "log"; readonly level: string; readonly logger?: string; readonly data?: unknown };

/** Shows changes until the signal aborts. @throws McpError if the connection is lost */
async function follow(client: Client, invocation: Invocation): Promise<void> {
  const { terminal, signal, values } = invocation;
  const lists = new Lists(client);
  const filter = lists.filter(values.uri ?? []);
  try {
    await lists.read(["tools", "prompts", "resources"], signal);
    const changes = await client.listen(filter, { signal });
    terminal.note(`Watching ${cleanLine(client.serverInfo?.name ?? "the server")} until Ctrl-C.`);
    for await (const change of changes) await say(invocation, await lists.describe(change, signal));
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

type ListKind = "tools" | "prompts" | "resources";

/** What the lists held when they were read last, so that a change can be described. */
class Lists {
  readonly #client: Client;
  readonly #known = new Map<ListKind, ReadonlyMap<string, string>>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** Watches what the server says that it announces. */
  filter(uris: readonly string[]): ListenFilter {
    const { tools, prompts, resources } = this.#client.serverCapabilities;
    return {
      tools: tools?.listChanged === true,
      prompts: prompts?.listChanged === true,
      resources: { list: resources?.listChanged === true, uris },
    };
  }

  async read(kinds: readonly ListKind[], signal: AbortSignal): Promise<void> {
    for (const kind of kinds) {
      const found = new Map<string, string>();
      if (this.#client.serverCapabilities[kind] !== undefined)
        for await (const item of this.#client[kind]({ signal })) found.set("uri" in item ? item.uri : item.name, JSON.stringify(item));
      this.#known.set(kind, found);
    }
  }

  async describe(change: ServerChange, signal: AbortSignal): Promise<Said> {
    if (change.kind === "resource") return change;
    const before = this.#known.get(change.kind)!;
    await this.read([change.kind], signal);
    const now = this.#known.get(change.kind)!;
    return {
      kind: change.kind,
      added: [...now.keys()].filter((name) => !before.has(name)),
      removed: [...before.keys()].filter((name) => !now.has(name)),
      changed: [...now].flatMap(([name, item]) => (before.has(name) && before.get(name) !== item ? [name] : [])),
    };
  }
}

async function say({ terminal, values }: Invocation, said: Said): Promise<void> {
  const at = new Date().toISOString();
  if (values.json === true) return terminal.printJson(JSON.stringify({ at, ...said }));
  await terminal.print(`${terminal.paint("dim", at.slice(11, 19))} ${textOf(said)}`);
}

function textOf(said: Said): string {
  if (said.kind === "resource") return `resource ${cleanLine(said.uri)} has changed`;
  if (said.kind === "log") {
    const text = typeof said.data === "string" ? said.data : JSON.stringify(said.data);
    return `[${said.level}] ${said.logger === undefined ? "" : `${cleanLine(said.logger)}: `}${cleanLine(text)}`;
  }
  const signs = [
    ...said.added.map((name) => `+${name}`),
    ...said.removed.map((name) => `-${name}`),
    ...said.changed.map((name) => `~${name}`),
  ];
  return `${said.kind} have changed: ${signs.length === 0 ? "nothing in the list" : signs.map(cleanLine).join(" ")}`;
}
