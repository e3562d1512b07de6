/** `--model` of `tenon inspect` and `tenon dev`. */
import type { InspectorModel } from "../inspector/target/model-drafts.ts";
import type { Invocation } from "../invocation.ts";

/** The model of `--model`, whose code is loaded only with it. @throws UsageError */
export async function modelOf({ values: { model }, shell }: Invocation): Promise<InspectorModel | undefined> {
  return model === undefined ? undefined : (await import("./model.ts")).modelOf(model, shell.env);
}
