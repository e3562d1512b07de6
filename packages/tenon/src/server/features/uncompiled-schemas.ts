/**
 * The plain JSON Schemas of tools, prompts and methods that are not compiled yet.
 *
 * They are compiled before the server serves, so that a bad schema fails the start and not a call. Registration has checked their
 * structure; compiling checks each `pattern`, each `$ref` and the limits of the validator.
 */
import { isPromise } from "../../base/maybe-promise.ts";
import type { Definition, Registered, Registry } from "./registry.ts";

export interface UnusableEntry {
  /** Says which one, and why. */
  readonly error: TypeError;
  readonly handle: Registered;
}

interface Uncompiled {
  readonly what: string;
  readonly key: string;
  readonly registry: Registry<Definition>;
  readonly definition: Definition;
}

/** The members of a definition that are schemas. */
const SCHEMAS = ["input", "output", "params", "result"] as const;

export class UncompiledSchemas {
  readonly #waiting = new Set<Uncompiled>();

  get waiting(): boolean {
    return this.#waiting.size > 0;
  }

  add(added: Uncompiled): void {
    if (SCHEMAS.some((part) => added.definition[part]?.compile !== undefined)) this.#waiting.add(added);
  }

  /**
   * Compiles the enabled definitions. Returns those that cannot be used; they stay here and fail again next time if they are still
   * enabled.
   */
  async compile(): Promise<readonly UnusableEntry[]> {
    const unusable: UnusableEntry[] = [];
    for (const each of this.#waiting) {
      const handle = each.registry.handleOf(each.key, each.definition);
      if (handle?.enabled === false) continue;
      const error = handle && (await whyUnusable(each));
      if (handle && error) unusable.push({ error, handle });
      else this.#waiting.delete(each); // compiled, or no longer registered
    }
    return unusable;
  }
}

async function whyUnusable({ what, key, definition }: Uncompiled): Promise<TypeError | undefined> {
  for (const part of SCHEMAS) {
    try {
      const compiling = definition[part]?.compile?.();
      if (isPromise(compiling)) await compiling;
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      return new TypeError(`The ${part} of ${what} "${key}" cannot be used: ${why}`, { cause });
    }
  }
  return undefined;
}
