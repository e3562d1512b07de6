/** Clients of the official SDK, one of each family of revisions, each in a process of its own and connected to `tenon dev`. */
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
type Message =
  | { heard: Heard; data?: string; message?: string }
  | { heard: "line"; line: string }
  | { id: number; value?: unknown; error?: string };

const PROGRAM = fileURLToPath(new URL("fixtures/official.mjs", import.meta.url));

/** Starts `tenon dev` and connects a client to it. The client watches the list of tools. */
export async function dial(way: Way, project: Project, file: string, words: readonly string[] = ["dev"]): Promise<Dialled> {
  const dialled = await dialling(way, project, file, words);
  await dialled.hear("connected");
  if (way.client.startsWith("2")) await dialled.ask("watch", {});
  return dialled;
}

/** Starts `tenon dev` and a client that begins to connect to it. */
export async function dialling({ client, how }: Way, project: Project, file: string, words: readonly string[] = ["dev"]): Promise<Dialled> {
  const isHttp = how === "HTTP" ? await startHttp(project, file, words) : undefined;
  const { command, args, cwd } = project.command(words[0]!, file, ...words.slice(1), "--json");
  const child = fork(PROGRAM, [client.slice(0, 1), ...(isHttp ? [isHttp.url] : [cwd, command, ...args])], {
    execArgv: [],
    stdio: "inherit",
  });
  const dialled = new Dialled(child, isHttp?.events ?? new Events());
  onTestFinished(() => dialled.close());
  return dialled;
}

export class Dialled {
  readonly events: Events;
  /** Everything it heard, in order. */
  readonly heard: { heard: Heard; data?: string; message?: string }[] = [];
  readonly #child: ChildProcess;
  readonly #pending = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  readonly #waiting = new Set<() => void>();
  readonly #ended: Promise<void>;
  #nextId = 1;

  constructor(child: ChildProcess, events: Events) {
    this.#child = child;
    this.events = events;
    child.on("message", (message: Message) => this.#take(message));
    this.#ended = new Promise((resolve) => child.on("exit", () => resolve()));
    void this.#ended.then(() => {
      for (const pending of this.#pending.values()) pending.reject(new Error("The process of the client has ended"));
      for (const wake of [...this.#waiting]) wake();
    });
  }

  #take(message: Message): void {
    if ("id" in message) {
      const pending = this.#pending.get(message.id);
      this.#pending.delete(message.id);
      if (message.error === undefined) pending?.resolve(message.value);
      else pending?.reject(new Error(message.error));
    } else if (message.heard === "line") this.events.take((message as { line: string }).line);
    else this.heard.push(message as { heard: Heard });
    for (const wake of [...this.#waiting]) wake();
  }

  ask(op: string, given: object): Promise<unknown> {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#child.send({ id, op, ...given });
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
      if (this.#child.exitCode !== null) throw new Error(`The client has ended before it heard "${kind}"`);
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
    if (this.#child.connected) this.#child.send({ id: 0, op: "close" });
    await this.#ended;
  }
}
