/** The values of `kept()` in one generation: taken over from the one before, and copied for the next. */
import { deserialize, serialize } from "node:v8";
import type { KeptValue } from "../channel.ts";

/** Bytes of all values together; more are not taken over. */
const MAX_BYTES = 64 * 1024 * 1024;

export class KeptValues {
  /** Values of the generation before that no `kept()` has asked for yet. */
  readonly #before: Map<string, KeptValue>;
  readonly #values = new Map<string, { readonly version: number; readonly value: unknown }>();

  constructor(before: readonly KeptValue[]) {
    this.#before = new Map(before.map((kept) => [kept.name, kept]));
  }

  /** @throws what `make` throws */
  keep<T>(name: string, version: number, make: () => T): T {
    const own = this.#values.get(name);
    if (own?.version === version) return own.value as T; // a name has one type
    const before = this.#before.get(name);
    const value = before?.version === version ? (deserialize(before.bytes) as T) : make();
    this.#values.set(name, { version, value });
    return value;
  }

  /** Copies all values. One that cannot be copied is left out, and a warning names it. */
  copy(): { values: KeptValue[]; warnings: string[] } {
    const values: KeptValue[] = [];
    const warnings: string[] = [];
    let total = 0;
    for (const [name, { version, value }] of this.#values) {
      try {
        const bytes = serialize(value);
        if ((total += bytes.byteLength) > MAX_BYTES) throw new Error(`all kept values together may have ${MAX_BYTES} bytes`);
        values.push({ name, version, bytes });
      } catch (error) {
        warnings.push(`kept(${JSON.stringify(name)}) starts anew: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    return { values, warnings };
  }
}
