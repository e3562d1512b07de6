/**
 * What a gateway declares to a server: exactly what the caller can do. Two callers with equal abilities have one profile.
 *
 * A server may choose its tools and its ways by what is declared, so nothing is declared that the caller cannot do.
 */
import { BoundedMap } from "../../base/bounds/bounded-map.ts";
import type { ConnectOptions } from "../../client/options.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { ClientCapabilities, Implementation } from "../../protocol/capabilities.ts";
import type { LoggingLevel } from "../../protocol/types.ts";
import type { ClientIdentity } from "../../wire/codec.ts";

/** The extension for tasks, which exists between clients and servers without sessions only. */
export const TASKS_ID = "io.modelcontextprotocol/tasks";
/** What a client without a session declares if it has tasks. */
export const TASKS_ABLE: ClientCapabilities = { extensions: { [TASKS_ID]: {} } };
/** Most profiles that are kept. The settings of extensions are text of the client, so there may be any number. */
const MAX_PROFILES = 1_000;
/** Most characters of these settings. */
const MAX_SETTINGS = 4_096;

function refuse(): never {
  throw new Error("The gateway answers by middleware");
}

export class Profile {
  readonly key: string;
  readonly capabilities: ClientCapabilities;
  readonly #identities = new Map<LoggingLevel | undefined, ClientIdentity>();

  constructor(key: string, capabilities: ClientCapabilities) {
    this.key = key;
    this.capabilities = capabilities;
  }

  /** Whether the caller can answer any question. */
  get asks(): boolean {
    const { elicitation, sampling, roots } = this.capabilities;
    return (elicitation ?? sampling ?? roots) !== undefined;
  }

  /** What a request to a stateless server says of its sender. The same object for equal arguments, because codecs cache by it. */
  identity(info: Implementation, logLevel: LoggingLevel | undefined): ClientIdentity {
    let identity = this.#identities.get(logLevel);
    if (identity === undefined) {
      identity = { info, capabilities: this.capabilities, ...(logLevel && { logLevel }) };
      this.#identities.set(logLevel, identity);
    }
    return identity;
  }

  /** The options of `connect` that declare these abilities. The gateway answers before any of these callbacks is called. */
  get connectOptions(): ConnectOptions {
    const { elicitation, sampling, roots, extensions } = this.capabilities;
    return {
      ...(elicitation && { onElicit: refuse, elicitationModes: Object.keys(elicitation) as ("form" | "url")[] }), // canonical, see below
      ...(sampling && { onSample: refuse, samplingCapabilities: sampling }),
      ...(roots && { roots: refuse }),
      ...(extensions && { extensions }),
    };
  }
}

/** Makes one profile for equal abilities. */
export class Profiles {
  /** Of callers that declare nothing to pass on: the most frequent, and without sessions declared anew with each request. */
  readonly #none = new Profile("{}", {});
  readonly #known = new BoundedMap<string, Profile>(MAX_PROFILES);
  readonly #of = new WeakMap<ClientCapabilities, Profile>();

  /** @throws McpError -32602 if the settings of an extension are too long */
  of(declared: ClientCapabilities, stateless: boolean): Profile {
    if (hasNone(declared)) return this.#none;
    let profile = this.#of.get(declared);
    if (profile === undefined) this.#of.set(declared, (profile = this.#intern(canonical(declared, stateless))));
    return profile;
  }

  #intern(capabilities: ClientCapabilities): Profile {
    const key = JSON.stringify(capabilities);
    let profile = key === this.#none.key ? this.#none : this.#known.get(key);
    if (profile === undefined) {
      this.#known.set(key, (profile = new Profile(key, capabilities)));
    }
    return profile;
  }
}

function hasNone({ elicitation, sampling, roots, extensions }: ClientCapabilities): boolean {
  return (elicitation ?? sampling ?? roots ?? extensions) === undefined;
}

/** The abilities that a gateway carries, in one order. */
function canonical({ elicitation, sampling, roots, extensions = {} }: ClientCapabilities, stateless: boolean): ClientCapabilities {
  const passed = Object.entries(extensions)
    .filter(([id]) => stateless || id !== TASKS_ID)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  if (JSON.stringify(passed).length > MAX_SETTINGS) {
    const message = `The settings of the client's extensions have more than ${MAX_SETTINGS} characters`;
    throw new McpError(ErrorCode.InvalidParams, message, { limit: "settings", max: MAX_SETTINGS });
  }
  // A client that declares `{}` takes forms only.
  const forms = elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
  return {
    ...(elicitation && { elicitation: { ...(forms && { form: {} }), ...(elicitation.url && { url: {} }) } }),
    ...(sampling && { sampling: { ...(sampling.context && { context: {} }), ...(sampling.tools && { tools: {} }) } }),
    ...(roots && { roots: { listChanged: true } }),
    ...(passed.length > 0 && { extensions: Object.fromEntries(passed) }),
  };
}
