/**
 * Schemas that may turn out to be of no use, tried before they are: else the first call would find out. Loaded where a server
 * has one.
 */
import type { CompiledSchema } from "../schema/compile.ts";
import type { Features } from "./features.ts";
import { Registered, type Definition, type Entry, type Registry } from "./registry.ts";

/** @throws TypeError that names the tool or prompt whose schema cannot be used */
export function assertUsable(features: Features): Promise<void> {
  return tryAll(features, (error) => {
    throw error;
  });
}

/** Hides what was registered while the server serves and cannot be used, as `disable()` does, and reports it. */
export function withdrawUnusable(features: Features, report: (error: TypeError) => void): Promise<void> {
  return tryAll(features, (error, registry, entry) => {
    if (!entry.enabled) return; // by another change, which is told of it
    new Registered(registry, entry).disable();
    report(error);
  });
}

type OnUnusable = (error: TypeError, registry: Registry<Definition>, entry: Entry<Definition>) => void;

async function tryAll({ tools, prompts }: Features, onUnusable: OnUnusable): Promise<void> {
  for (const [what, registry] of [["tool", tools] as const, ["prompt", prompts] as const]) {
    for (const entry of registry.entries) {
      for (const io of ["input", "output"] as const) {
        try {
          await tryOne((entry.definition as Definition)[io]);
        } catch (cause) {
          const why = cause instanceof Error ? cause.message : String(cause);
          onUnusable(new TypeError(`The ${io} of ${what} "${entry.key}" cannot be used: ${why}`, { cause }), registry, entry);
        }
      }
    }
  }
}

/** Those that can be used: each is tried once. */
const usable = new WeakSet<CompiledSchema>();

async function tryOne(schema: CompiledSchema | undefined): Promise<void> {
  if (!schema?.doubtful || usable.has(schema)) return;
  await schema.validate(undefined); // any value will do
  usable.add(schema);
}
