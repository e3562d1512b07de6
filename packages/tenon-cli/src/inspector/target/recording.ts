/**
 * What the user did with a server, in order: the steps of a recording, ready to be run again.
 *
 * Security: it holds secrets, so it stays in this process. What is exported passes `Secrets` first.
 */
import type { CallEntry, QuestionEntry } from "../entries.ts";
import type { Implementation, JsonObject } from "tenon";
import { Secrets } from "./secrets.ts";

export interface Answered {
  readonly method: QuestionEntry["method"] | "roots/list";
  readonly message: string;
  readonly params: JsonObject;
  readonly answer: JsonObject;
}

/** A progress notification of a call. The inspector keeps the last one. */
export interface Progressed {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface Step {
  readonly op: CallEntry["op"];
  readonly name: string;
  readonly params: JsonObject;
  readonly answers: readonly Answered[];
  /** What came before the result, in order. */
  readonly progress?: readonly Progressed[];
  readonly result?: JsonObject;
  readonly failure?: { readonly code?: number | string; readonly message: string; readonly data?: unknown };
}

/** A recording as a file, which `tenon record --serve` serves: what the server said of itself, its lists, and the steps. */
export interface SessionFile {
  readonly recording: 1;
  readonly revision: string;
  readonly server: Implementation;
  readonly capabilities: JsonObject;
  readonly instructions?: string;
  readonly lists: {
    readonly tools: readonly JsonObject[];
    readonly resources: readonly JsonObject[];
    readonly resourceTemplates: readonly JsonObject[];
    readonly prompts: readonly JsonObject[];
  };
  readonly steps: readonly Step[];
}

/**
 * The text of a file. Security: values that look like secrets are left out, also from the lists.
 * @param given headers or variables that the user gave: what is secret of them is left out too
 */
export function sessionText(file: SessionFile, values: Readonly<Record<string, string>> = {}): string {
  const secrets = new Secrets();
  secrets.findGiven(values);
  secrets.find(file.steps);
  return `${JSON.stringify(secrets.without(file), undefined, 2)}\n`;
}

/** Most steps of a recording. Later calls are not recorded. */
const MAX_STEPS = 500;

export class Recording {
  readonly revision: string;
  readonly #steps: Step[] = [];
  #answers: Answered[] = [];

  constructor(revision: string) {
    this.revision = revision;
  }

  get steps(): readonly Step[] {
    return this.#steps;
  }

  /** Takes out the step at `index`, with its answers. */
  remove(index: number): void {
    this.#steps.splice(index, 1);
  }

  answered({ method, params }: QuestionEntry, answer: JsonObject): void {
    this.#answers.push({ method, params, message: typeof params["message"] === "string" ? params["message"] : "", answer });
  }

  /** Adds a call that has ended. A call that was cancelled or pinged is not a step. */
  ended({ op, name, params, state, progress, result, failure }: CallEntry): void {
    const answers = this.#answers;
    this.#answers = [];
    if (this.#steps.length >= MAX_STEPS || state === "cancelled" || op === "ping") return;
    this.#steps.push({
      op,
      name,
      params,
      answers,
      ...(progress && { progress: [progress] }),
      ...(result && { result }),
      ...(failure && { failure }),
    });
  }
}
