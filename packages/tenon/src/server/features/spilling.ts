/**
 * The option `spill` of a server and its tools, as far as it must be there at once: the tool `read_more` and the links of kept results.
 *
 * `spill-layer.ts` keeps results, and is loaded with the first call.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { RequestContext } from "../../session/request-context.ts";
import { READ_MORE, READ_MORE_INPUT, READ_MORE_OPTIONS, SPILL_TEMPLATE } from "../../spill/names.ts";

interface OwnFeatures {
  registerOwn(kind: "tool" | "template", name: string, options: object, handler: (given: never, context: never) => unknown): void;
}

const layer = (): Promise<typeof import("./spill-layer.ts")> => import("./spill-layer.ts");

/** Registers `read_more` and the links of kept results. Neither is a feature for servers that mount this one, and no rule hides them. */
export function registerReading(features: OwnFeatures): void {
  features.registerOwn("tool", READ_MORE, { ...READ_MORE_OPTIONS, input: READ_MORE_INPUT }, (given: JsonObject, context: RequestContext) =>
    layer().then(({ readKept }) => readKept(given, context)),
  );
  features.registerOwn(
    "template",
    SPILL_TEMPLATE,
    { name: "result", mimeType: "text/plain" },
    (given: { id: string }, context: RequestContext) => layer().then(({ readKeptLink }) => readKeptLink(given.id, context)),
  );
}
