/** A security check, and how it is removed: see `index.mjs`. */
export interface RemovedGuard {
  readonly rule: string;
  readonly name: string;
  readonly folder: string;
  readonly find: string;
  readonly replace: string;
  readonly tests: readonly string[];
}

export const guards: readonly RemovedGuard[];
