/** Makes an extension of what it is written as: the same object for servers and clients. */
import type { Extension } from "../session/extension.ts";
import { attachExtension } from "./client-side.ts";
import type { ExtensionDefinition } from "./extension-definition.ts";
import { serveExtension } from "./server-side.ts";

/** Names of `_meta` keys, with their prefix (A3.1, A6.3). */
const ID = /^[a-z]([a-z0-9-]*[a-z0-9])?(\.[a-z]([a-z0-9-]*[a-z0-9])?)+\/[a-z0-9]([\w.-]*[a-z0-9])?$/i;

/** An extension, for servers and clients. @throws RangeError for an id that is none */
export function defineExtension(definition: ExtensionDefinition): Extension {
  const { id, settings = {}, clientCapabilities } = definition;
  if (!ID.test(id))
    throw new RangeError(`Extension id ${JSON.stringify(id)} must be a dotted prefix, a slash and a name, as in "com.example/thing"`);
  return {
    id,
    headerNames: new Map(Object.entries(definition.headerNames ?? {})),
    declare(capabilities) {
      const declared = { ...capabilities, extensions: { ...capabilities.extensions, [id]: settings } };
      return { ...declared, ...clientCapabilities?.(declared) };
    },
    serve: (host, others) => serveExtension(definition, host, others),
    attach: (host, others) => attachExtension(definition, host, others),
  };
}
