/** Chooses the model that answers a server's sampling request. */
import type { ModelPreferences } from "../../protocol/sampling.ts";

/** The models that may answer: one, several of which a server's hints choose, or a function of its preferences. */
export type SamplingModel = string | readonly string[] | ((preferences: ModelPreferences) => string);

/**
 * The model for a request. A hint of the server chooses the first model whose name contains it; hints count in order. Without a hint that
 * fits it is the first model. Security: a server chooses among the models given here only.
 */
export function pickModel(model: SamplingModel, preferences: ModelPreferences = {}): string {
  if (typeof model === "string") return model;
  if (typeof model === "function") return model(preferences);
  for (const { name = "" } of preferences.hints ?? []) {
    const found = name === "" ? undefined : model.find((one) => one.includes(name));
    if (found !== undefined) return found;
  }
  const [first] = model;
  if (first === undefined) throw new TypeError('The option "model" is an empty list');
  return first;
}
