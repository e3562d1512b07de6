/** The question channel of a task: questions wait in its record until they are answered, and steps are kept there. */
import type { JsonObject } from "../../../jsonrpc/message.ts";
import type { InputRequest } from "../../../protocol/input-required.ts";
import type { StepWork } from "../../../session/asking/questions/asking-context.ts";
import { UsedNames, type QuestionChannel } from "../../../session/asking/questions/question-channel.ts";
import { assertOutsideStep, runStep } from "../../../session/asking/questions/running-step.ts";
import { toStepValue } from "../../../session/asking/questions/step-value.ts";
import type { TaskRun } from "./task-run.ts";

export class TaskQuestionChannel implements QuestionChannel {
  readonly #run: TaskRun;
  readonly #names = new UsedNames();

  constructor(run: TaskRun) {
    this.#run = run;
  }

  async ask(name: string, question: InputRequest): Promise<JsonObject> {
    this.#names.use("question", name);
    return this.#run.ask(name, question);
  }

  assertMayAsk(): void {
    assertOutsideStep(this);
  }

  async step<T>(name: string, work: StepWork<T>): Promise<T> {
    this.#run.signal.throwIfAborted();
    this.#names.use("step", name);
    const known = this.#run.stepOf(name);
    if (known !== undefined) return known[1] as T; // the value of the step
    const { text, value } = toStepValue(name, await runStep({ of: this, name, call: this.#run.call }, work));
    await this.#run.keepStep(text === undefined ? [name] : [name, JSON.parse(text)]);
    return value as T; // equal to the value of the step
  }
}
