/** The client's name and the capabilities it declares: exactly those it has callbacks for. */
import type { ClientCapabilities, ElicitationCapability } from "../protocol/capabilities.ts";
import type { ClientIdentity } from "../wire/codec.ts";
import { isExtensionList, type SessionOptions } from "./session-options.ts";

/** The `clientInfo` of a client that sets none. */
export const DEFAULT_CLIENT_INFO: {
  /** The name of this package. */
  name: string;
  /** The version of this package. */
  version: string;
} = { name: "tenon", version: "0.1.0" };

export function identityOf(options: SessionOptions<never>): ClientIdentity {
  return {
    info: options.clientInfo ?? DEFAULT_CLIENT_INFO,
    capabilities: capabilitiesOf(options),
    ...(options.logLevel && { logLevel: options.logLevel }),
  };
}

function capabilitiesOf(options: SessionOptions<never>): ClientCapabilities {
  const { onElicit, onSample, roots, experimental, extensions, samplingCapabilities, elicitationModes = ["form", "url"] } = options;
  const elicitation: ElicitationCapability = {};
  for (const mode of elicitationModes) elicitation[mode] = {};
  const declared: ClientCapabilities = {
    ...(onElicit && { elicitation }),
    ...(onSample && { sampling: samplingCapabilities ?? {} }),
    ...(roots && { roots: { listChanged: true } }),
    ...(experimental && { experimental }),
  };
  if (isExtensionList(extensions)) return extensions.reduce((capabilities, extension) => extension.declare(capabilities), declared);
  return extensions ? { ...declared, extensions } : declared;
}
