/** Whether requests can be sent to a client, and whether it declared the capabilities that they need. */
import { isSameJson } from "../base/json-values.ts";
import type { ClientCapabilities } from "../protocol/capabilities.ts";
import type { ClientIdentity, Codec } from "../wire/codec.ts";
import type { Connection } from "./connection.ts";

export interface KnownClient {
  readonly codec: Codec;
  readonly client: ClientIdentity;
  readonly connection: Connection;
}

/** Whether requests can be sent to the client: not on stateless revisions, and not on a channel without a back-channel. */
export function canSendRequests({ codec, connection }: Pick<KnownClient, "codec" | "connection">): boolean {
  return !codec.stateless && connection.dispatcher.canSendRequest !== false;
}

/** Whether the client declared all of these capabilities. False before the client has introduced itself. */
export function hasDeclared({ codec, client, connection }: KnownClient, required: ClientCapabilities): boolean {
  return (codec.stateless || connection.clientParams !== undefined) && hasCapabilities(client.capabilities, required);
}

/** Whether `declared` has everything in `required`. Checks only what is required. */
export function hasCapabilities(declared: ClientCapabilities, required: ClientCapabilities): boolean {
  const { roots, sampling, elicitation, experimental, extensions, tasks } = required;
  return (
    hasMembers(declared.roots, roots, (given, asked) => !asked || given === true) &&
    // Their content does not matter.
    hasMembers(declared.sampling, sampling, isPresent) &&
    hasMembers(declared.extensions, extensions, isPresent) &&
    hasMembers(withForms(declared.elicitation), elicitation, isPresent) &&
    hasMembers(declared.experimental, experimental, (given, asked) => isSameJson(given, asked)) &&
    // Compared level by level; `list` and `cancel` do not matter.
    hasMembers(declared.tasks, tasks && {}, isPresent) &&
    hasMembers(declared.tasks?.requests, tasks?.requests, (given, asked) => hasMembers(given as object, asked as object, isPresent)) // as the type says
  );
}

function hasMembers(
  declared: object | undefined,
  required: object | undefined,
  holds: (given: unknown, asked: unknown) => boolean,
): boolean {
  if (required === undefined || declared === undefined) return required === undefined;
  return Object.entries(required).every(([key, asked]) =>
    holds(Object.hasOwn(declared, key) ? Reflect.get(declared, key) : undefined, asked),
  );
}

function isPresent(given: unknown): boolean {
  return given !== undefined;
}

/** A client that declares `{}` supports forms only. */
function withForms(elicitation: object | undefined): object | undefined {
  return elicitation && Object.keys(elicitation).length === 0 ? { form: {} } : elicitation;
}
