/** Who the client says it is and what it says it can do: exactly what it was given callbacks for (CS-30). */
import type { ClientCapabilities, ElicitationCapability } from "../protocol/capabilities.ts";
import type { Extension } from "../session/extension.ts";
import type { ClientIdentity } from "../wire/codec.ts";
import type { ClientSessionOptions } from "./options.ts";

/** Who a client says it is that was given no `clientInfo` (CS-06): the `name` and `version` of this package. */
export const DEFAULT_CLIENT_INFO: { name: string; version: string } = { name: "tenon", version: "0.1.0" };

export function identityOf(options: ClientSessionOptions): ClientIdentity {
  return {
    info: options.clientInfo ?? DEFAULT_CLIENT_INFO,
    capabilities: capabilitiesOf(options),
    ...(options.logLevel && { logLevel: options.logLevel }),
  };
}

/** Whether these are extensions that are used, and not only declared. */
export function isList(extensions: ClientSessionOptions["extensions"]): extensions is readonly Extension[] {
  return Array.isArray(extensions);
}

function capabilitiesOf(options: ClientSessionOptions): ClientCapabilities {
  const { onElicit, onSample, roots, experimental, extensions, samplingCapabilities, elicitationModes = ["form", "url"] } = options;
  const elicitation: ElicitationCapability = {};
  for (const mode of elicitationModes) elicitation[mode] = {};
  const declared: ClientCapabilities = {
    ...(onElicit && { elicitation }),
    ...(onSample && { sampling: samplingCapabilities ?? {} }),
    ...(roots && { roots: { listChanged: true } }),
    ...(experimental && { experimental }),
  };
  if (isList(extensions)) return extensions.reduce((capabilities, extension) => extension.declare(capabilities), declared);
  return extensions ? { ...declared, extensions } : declared;
}
