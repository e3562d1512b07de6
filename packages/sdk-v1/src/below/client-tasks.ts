/**
 * Tasks of an official `Client` on revisions without a handshake, where they are an extension and the server decides which call becomes one.
 *
 * The client below waits for each task and answers its questions. An official client that asks for a task gets its state from here, and a call
 * that the server answers at once is a task that has ended.
 */
import type { JsonObject } from "tenon";
import type { Client } from "tenon/client";

type Task = Awaited<ReturnType<ReturnType<Client["task"]>["get"]>>;

/** A call that an official client has made as a task. */
interface Begun {
  task: Task;
  readonly result: Promise<JsonObject>;
}

/** Most tasks whose results are kept. Of older ones the server is asked. */
const MAX_BEGUN = 100;

const RELATED_TASK = "io.modelcontextprotocol/related-task";

export class ClientTasks {
  readonly #client: Client;
  readonly #begun = new Map<string, Begun>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** Makes a call. Resolves when it has become a task, or has ended. @param call makes it, and says each state of its task */
  begin(call: (changed: (task: Task) => void) => Promise<JsonObject>): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      let begun: Begun | undefined;
      const start = (task: Task): Begun => {
        begun = this.#keep({ task, result });
        resolve({ task });
        return begun;
      };
      const result: Promise<JsonObject> = call((task) => {
        if (begun === undefined) start(task);
        else begun.task = task;
      });
      result.then(
        () => void ((begun ?? start(endedTask())).task.status = "completed"),
        (error: unknown) => {
          if (begun === undefined) return reject(error instanceof Error ? error : new Error(String(error)));
          const { task } = begun;
          if (!hasEnded(task)) begun.task = { ...task, status: "failed", statusMessage: String(error) };
        },
      );
    });
  }

  #keep(begun: Begun): Begun {
    const [oldest] = this.#begun.keys();
    if (oldest !== undefined && this.#begun.size >= MAX_BEGUN) this.#begun.delete(oldest);
    this.#begun.set(begun.task.taskId, begun);
    return begun;
  }

  /** Answers a method of tasks. Returns undefined for any other method. */
  answer(method: string, taskId: string): Promise<JsonObject> | undefined {
    if (method === "tasks/get") return this.#state(taskId);
    if (method === "tasks/result") return this.#result(taskId);
    return method === "tasks/cancel" ? this.#cancel(taskId) : undefined;
  }

  async #state(taskId: string): Promise<JsonObject> {
    return { ...(this.#begun.get(taskId)?.task ?? (await this.#client.task(taskId).get())) };
  }

  async #result(taskId: string): Promise<JsonObject> {
    const result = await (this.#begun.get(taskId)?.result ?? this.#client.task(taskId).result());
    return { ...result, _meta: { ...(result._meta as JsonObject | undefined), [RELATED_TASK]: { taskId } } };
  }

  async #cancel(taskId: string): Promise<JsonObject> {
    const task = this.#client.task(taskId);
    await task.cancel();
    return { ...(await task.get()) };
  }
}

const hasEnded = ({ status }: Task): boolean => status === "completed" || status === "failed" || status === "cancelled";

function endedTask(): Task {
  const now = new Date().toISOString();
  return { taskId: crypto.randomUUID(), status: "completed", createdAt: now, lastUpdatedAt: now, ttl: null };
}
