/** Makes an extension from its definition: one object for servers and clients. */
import type { Extension } from "../session/extension.ts";
import { attachExtension } from "./client-side.ts";
import type { ExtensionDefinition } from "./extension-definition.ts";
import { serveExtension } from "./server-side.ts";

/** An id has the form of a `_meta` key with a prefix (MCP 2026-07-28, `_meta`). */
const ID = /^[a-z]([a-z0-9-]*[a-z0-9])?(\.[a-z]([a-z0-9-]*[a-z0-9])?)+\/[a-z0-9]([\w.-]*[a-z0-9])?$/i;

/** Makes an extension for servers and clients. @throws RangeError if the id is invalid */
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
