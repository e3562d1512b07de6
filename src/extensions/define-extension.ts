/** Makes an extension of what it is written as: the same object for servers and clients. */
import { assertKnown, type OptionKeys } from "../base/known-options.ts";
import type { Extension } from "../session/extension.ts";
import { attachExtension } from "./client-side.ts";
import type { ExtensionDefinition } from "./extension-definition.ts";
import { serveExtension } from "./server-side.ts";

/** Names of `_meta` keys, with their prefix (A3.1, A6.3). */
const ID = /^[a-z]([a-z0-9-]*[a-z0-9])?(\.[a-z]([a-z0-9-]*[a-z0-9])?)+\/[a-z0-9]([\w.-]*[a-z0-9])?$/i;

const EXTENSION_KEYS: OptionKeys<ExtensionDefinition> = {
  id: 1,
  settings: 1,
  since: 1,
  methods: 1,
  answers: 1,
  notifications: 1,
  resultTypes: 1,
  headerNames: 1,
  listenFilters: 1,
  capabilityGate: 1,
  clientCapabilities: 1,
  server: 1,
  client: 1,
};

/** An extension, for servers and clients. @throws RangeError for an id that is none */
export function defineExtension(definition: ExtensionDefinition): Extension {
  assertKnown("defineExtension()", definition, EXTENSION_KEYS);
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
