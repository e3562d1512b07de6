/** Whether a client can be asked, and whether its declared capabilities cover what is asked for (checklist SS-40…50). */
import { isSameJson } from "../base/json-values.ts";
import type { ClientCapabilities } from "../protocol/capabilities.ts";
import type { ClientIdentity, Codec } from "../wire/codec.ts";
import type { Connection } from "./connection.ts";

/** Who asks, and how it is known what they can do. */
interface Introduced {
  readonly codec: Codec;
  readonly client: ClientIdentity;
  readonly connection: Connection;
}

/** False for a client that has not introduced itself (SS-40). */
export function isCapable({ codec, client, connection }: Introduced, required: ClientCapabilities): boolean {
  return (codec.stateless || connection.clientParams !== undefined) && supports(client.capabilities, required);
}

/** False on stateless revisions, and on a channel that has no way back. */
export function hasBackChannel({ codec, connection }: Pick<Introduced, "codec" | "connection">): boolean {
  return !codec.stateless && connection.dispatcher.canSendRequest !== false;
}

/** Only what is asked for is looked at; several asks must all hold. */
export function supports(have: ClientCapabilities, required: ClientCapabilities): boolean {
  const { roots, sampling, elicitation, experimental, extensions, tasks } = required;
  return (
    covers(have.roots, roots, (given, asked) => !asked || given === true) &&
    // Contents do not matter (SS-45, SS-49).
    covers(have.sampling, sampling, isThere) &&
    covers(have.extensions, extensions, isThere) &&
    covers(withForms(have.elicitation), elicitation, isThere) &&
    covers(have.experimental, experimental, (given, asked) => isSameJson(given, asked)) &&
    // Presence, level by level; `list` and `cancel` are not looked at (TK-12).
    covers(have.tasks, tasks && {}) &&
    covers(have.tasks?.requests, tasks?.requests, (given, asked) => covers(given as object, asked as object, isThere)) // as the type says
  );
}

/** Whether all that is asked for is there, as `holds` has it of each member. */
function covers(have: object | undefined, required: object | undefined, holds?: (given: unknown, asked: unknown) => boolean): boolean {
  if (required === undefined || have === undefined) return required === undefined;
  return Object.entries(required).every(([key, asked]) => holds!(Object.hasOwn(have, key) ? Reflect.get(have, key) : undefined, asked));
}

function isThere(given: unknown): boolean {
  return given !== undefined;
}

/** A client that declares `{}` takes forms only (SS-46). */
function withForms(elicitation: object | undefined): object | undefined {
  return elicitation && Object.keys(elicitation).length === 0 ? { form: {} } : elicitation;
}
