/**
 * One validation in progress: the steps it has left, and the first fault it found.
 *
 * A check that fails records the reason and returns false; each level that it returns through adds its key. A valid value costs no
 * allocation.
 */
import { LimitExceededError } from "../jsonrpc/mcp-error.ts";
import type { SchemaIssue, Validation } from "./standard-schema.ts";
import type { SchemaLimits } from "./schema-limits.ts";

/** Whether a value fits one keyword, or one schema. */
export type Check = (value: unknown, run: Run) => boolean;

export function runAll(checks: readonly Check[], cost: number): Check {
  return (value, run) => {
    run.spend(cost);
    for (let i = 0; i < checks.length; i++) if (checks[i]?.(value, run) === false) return false;
    return true;
  };
}

/** Runs the check of a whole schema, for one value after the other. @param faultsOf says what is wrong with a value that has just failed */
export function toValidation(
  check: Check,
  faultsOf: (value: unknown, run: Run) => readonly SchemaIssue[],
  limits: SchemaLimits,
): (value: unknown) => Validation {
  const run = new Run(limits);
  return (value) => {
    run.reset();
    return check(value, run) ? { value } : { issues: faultsOf(value, run) };
  };
}

export class Run {
  readonly #limits: SchemaLimits;
  #steps = 0;
  #depth = 0;
  #message = "";
  /** From the inside out. */
  readonly #path: PropertyKey[] = [];

  constructor(limits: SchemaLimits) {
    this.#limits = limits;
  }

  /** Starts again, for the next value. */
  reset(): void {
    this.#steps = this.#limits.validationSteps;
    this.#depth = 0;
  }

  /** @throws LimitExceededError if the validation needs too much work */
  spend(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw new LimitExceededError("validationSteps", this.#limits.validationSteps);
  }

  /** @throws LimitExceededError if references or values nest too deep */
  enter(): void {
    if (++this.#depth > this.#limits.refDepth) throw new LimitExceededError("refDepth", this.#limits.refDepth);
  }

  leave(): void {
    this.#depth--;
  }

  fail(message: string): false {
    this.#message = message;
    this.#path.length = 0;
    return false;
  }

  /** Adds the key of a member or item to the path of a failure. */
  within(key: PropertyKey): false {
    this.#path.push(key);
    return false;
  }

  issue(): SchemaIssue {
    return { message: this.#message, path: this.#path.toReversed() };
  }
}
