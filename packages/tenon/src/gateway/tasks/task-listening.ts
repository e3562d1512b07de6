/** Tasks on a `subscriptions/listen` stream: sends the complete state of a task, at once and after each change. */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ClientIdentity } from "../../wire/codec.ts";
import type { FoundTask } from "./gateway-tasks.ts";

/** Begins to call `tell` with the states of a task. Returns a function that ends it. */
export type BeginTask = (tell: (state: JsonObject) => void) => () => void;

/** What begins to tell of a task. @param report called with what asking for its state fails with */
export function listenerTo(task: FoundTask, identity: ClientIdentity, report: (error: unknown) => void): BeginTask {
  return (tell) => {
    const states = new TaskStates(task, tell, report);
    const stop = task.watch(identity, () => states.look());
    states.look(); // it may have changed before the watch began
    return () => {
      stop();
      states.end();
    };
  };
}

/** Tells of each state of a task once, one after the other. */
class TaskStates {
  readonly #task: FoundTask;
  readonly #tell: (state: JsonObject) => void;
  readonly #report: (error: unknown) => void;
  /** The state that was told last, as text. */
  #told: string;
  #again = false;
  #busy = false;
  #ended = false;

  constructor(task: FoundTask, tell: (state: JsonObject) => void, report: (error: unknown) => void) {
    this.#task = task;
    this.#tell = tell;
    this.#report = report;
    this.#told = JSON.stringify(task.first);
    tell(task.first);
  }

  /** Asks for the state, and tells of it if it has changed. */
  look(): void {
    this.#again = true;
    if (!this.#busy) void this.#lookOn();
  }

  /** One request at a time, so that the order is kept. */
  async #lookOn(): Promise<void> {
    this.#busy = true;
    try {
      while (this.#again && !this.#ended) {
        this.#again = false;
        this.#changed(await this.#task.state());
      }
    } catch (error) {
      if (!this.#ended) this.#report(error);
    } finally {
      this.#busy = false;
    }
  }

  #changed(state: JsonObject): void {
    const text = JSON.stringify(state);
    if (!this.#ended && text !== this.#told) this.#tell(state);
    this.#told = text;
  }

  end(): void {
    this.#ended = true;
  }
}
