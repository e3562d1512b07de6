/**
 * Task tools of 1.x on revisions without a handshake, where tasks are an extension: `tasks()` of the Tenon server below keeps the task, and
 * the owner's task store the work.
 *
 * A client that declares the extension gets a task at once. Below it the official handler creates a task of 1.x, whose result is the result of the call.
 */
import type { JsonObject, MaybePromise, McpServer } from "tenon";
import type { RequestContext } from "tenon/server";
import { onAbort, toolExtensionOf } from "tenon/internal/embedding";

export type Run = (context: RequestContext, asked?: Asked) => Promise<JsonObject>;

/** A request of 1.x that the layer makes for a client. */
export interface Asked {
  readonly method: string;
  readonly params: JsonObject;
}

export class NewestTasks {
  readonly #tenon: McpServer;
  readonly #run: Run;

  constructor(tenon: McpServer, run: Run) {
    this.#tenon = tenon;
    this.#run = run;
  }

  /** Calls a tool that runs as a task. @throws McpError if it runs as a task only, and the client does not declare the extension */
  call(context: RequestContext, support: "optional" | "required"): MaybePromise<JsonObject> {
    const tasks = toolExtensionOf(this.#tenon, String(context.params["name"]), { task: { support } });
    if (tasks === undefined) return this.#run(context); // the owner has no task store, and the original says so
    return tasks.call(context, (own) => this.#result(own) as ReturnType<typeof tasks.call>); // the official handler makes a result of the tool
  }

  /** The result of a call: what the official task comes to. */
  async #result(context: RequestContext): Promise<JsonObject> {
    const { task } = await this.#run(context, { method: "tools/call", params: { ...context.params, task: {} } });
    const { taskId } = task as { taskId: string }; // the official schema says so
    const stop = onAbort(context.cancellation, () => {
      this.#run(context, { method: "tasks/cancel", params: { taskId } }).catch(() => undefined); // it has ended
    });
    try {
      return await this.#run(context, { method: "tasks/result", params: { taskId } });
    } finally {
      stop();
    }
  }
}
