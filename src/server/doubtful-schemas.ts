/**
 * Schemas that may turn out to be of no use, tried before anything is served: else the first call would find out. Loaded where
 * a server has one.
 */
import type { Features } from "./features.ts";
import type { Definition, Registry } from "./registry.ts";

/** @throws TypeError that names the tool or prompt whose schema cannot be used */
export async function assertUsable({ tools, prompts }: Features): Promise<void> {
  await tryAll("tool", tools);
  await tryAll("prompt", prompts);
}

async function tryAll(what: string, { entries }: Registry<Definition>): Promise<void> {
  for (const { key, definition } of entries) {
    for (const io of ["input", "output"] as const) {
      if (!definition[io]?.doubtful) continue;
      try {
        await definition[io].validate(undefined); // any value will do
      } catch (cause) {
        throw new TypeError(`The ${io} of ${what} "${key}" cannot be used: ${cause instanceof Error ? cause.message : String(cause)}`, {
          cause,
        });
      }
    }
  }
}
