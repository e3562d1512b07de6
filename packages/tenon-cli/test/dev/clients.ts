/**
 * Clients of the official SDK, one of each family of revisions, connected to `tenon dev`. They are in a process beside that of
 * the tests, which the tests of a file share: to load the SDKs takes longer than most of these tests.
 */
import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { Events, startHttp, type Project } from "./project.ts";

export const WAYS = [
  { client: "1.x, stateful", how: "stdio" },
  { client: "1.x, stateful", how: "HTTP" },
  { client: "2.x, stateless", how: "stdio" },
  { client: "2.x, stateless", how: "HTTP" },
] as const;
export type Way = (typeof WAYS)[number];

/** What a client hears. */
export type Heard = "connected" | "changed" | "updated" | "log" | "closed" | "question" | "progress";
type Message = { key: number } & (
  | { heard: Heard; data?: string; message?: string }
  | { heard: "line"; line: string }
  | { id: number; value?: unknown; error?: string }
);

const PROGRAM = fileURLToPath(new URL("fixtures/official.mjs", import.meta.url));

/** Starts `tenon dev` and connects a client to it. The client watches the list of tools. */
export async function dial(way: Way, project: Project, file: string, words: readonly string[] = ["dev"]): Promise<Dialled> {
  const dialled = await dialling(way, project, file, words);
  await dialled.hear("connected");
  if (way.client.startsWith("2")) await dialled.ask("watch", {});
  return dialled;
}

/** Starts `tenon dev` and a client that begins to connect to it. */
export async function dialling(
  { client, how }: Way,
  project: Project,
  file: string,
  words: readonly string[] = ["dev"],
): Promise<Dialled> {
  const isHttp = how === "HTTP" ? await startHttp(project, file, words) : undefined;
  const { command, args, cwd } = project.command(words[0]!, file, ...words.slice(1), "--json");
  const dialled = new Dialled(isHttp?.events ?? new Events());
  onTestFinished(() => dialled.close());
  dialled.open({ generation: client.slice(0, 1), ...(isHttp ? { url: isHttp.url } : { command, args, cwd }) });
  return dialled;
}

/** Where the clients are. It ends with the process that started it. */
let running: ChildProcess | undefined;

function hostOfClients(): ChildProcess {
  if (running?.connected !== true) {
    running = fork(PROGRAM, { execArgv: [], stdio: "inherit" }).setMaxListeners(0);
    running.unref();
    running.channel?.unref();
  }
  return running;
}

export class Dialled {
  static #nextKey = 1;
  readonly events: Events;
  /** Everything it heard, in order. */
  readonly heard: { heard: Heard; data?: string; message?: string }[] = [];
  readonly #host = hostOfClients();
  readonly #key = Dialled.#nextKey++;
  readonly #pending = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  readonly #waiting = new Set<() => void>();
  #nextId = 1;
  /** Why nothing more will be heard. */
  #failure: Error | undefined;

  constructor(events: Events) {
    this.events = events;
    this.#host.on("message", this.#take);
    this.#host.on("exit", this.#end);
  }

  /** Begins to connect. */
  open(address: object): void {
    this.ask("open", address).catch((error: unknown) => {
      this.#failure = new Error("The client could not connect", { cause: error });
      this.#wake();
    });
  }

  readonly #end = (): void => {
    this.#failure = new Error("The process of the client has ended");
    for (const pending of this.#pending.values()) pending.reject(this.#failure);
    this.#wake();
  };

  readonly #take = (message: Message): void => {
    if (message.key !== this.#key) return;
    if ("id" in message) {
      const pending = this.#pending.get(message.id);
      this.#pending.delete(message.id);
      if (message.error === undefined) pending?.resolve(message.value);
      else pending?.reject(new Error(message.error));
    } else if (message.heard === "line") this.events.take((message as { line: string }).line);
    else this.heard.push(message as { heard: Heard });
    this.#wake();
  };

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  ask(op: string, given: object): Promise<unknown> {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#host.send({ key: this.#key, id, op, ...given });
    });
  }

  /** The text of a tool's result. */
  async call(name: string, args: object = {}, onProgress = false): Promise<string> {
    return (await this.ask("call", { name, args, onProgress })) as string;
  }

  async tools(): Promise<string[]> {
    return (await this.ask("tools", {})) as string[];
  }

  count(kind: Heard): number {
    return this.heard.filter(({ heard }) => heard === kind).length;
  }

  /** Resolves when it has heard `times` of a kind in all. */
  async hear(kind: Heard, times = 1): Promise<void> {
    while (this.count(kind) < times) {
      if (this.#failure !== undefined)
        throw new Error(`The client has ended before it heard "${kind}"`, { cause: this.#failure });
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.#waiting.delete(wake);
          resolve();
        };
        this.#waiting.add(wake);
      });
    }
  }

  async close(): Promise<void> {
    // A client that could not connect is closed already.
    if (this.#failure === undefined) await this.ask("close", {});
    this.#host.off("message", this.#take).off("exit", this.#end);
  }
}
