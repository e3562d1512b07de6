/** Whether declared client capabilities cover what is asked for (checklist SS-40…50). */
import { isJsonObject } from "../jsonrpc/message.ts";
import type { ClientCapabilities } from "../protocol/capabilities.ts";

/** Only what is asked for is looked at; several asks must all hold. */
export function supports(have: ClientCapabilities, required: ClientCapabilities): boolean {
  return (
    coversRoots(have, required) &&
    coversKeys(have.sampling, required.sampling) &&
    coversElicitation(have, required) &&
    coversExactly(have.experimental, required.experimental) &&
    coversKeys(have.extensions, required.extensions) &&
    coversTasks(have.tasks, required.tasks)
  );
}

function coversRoots(have: ClientCapabilities, { roots }: ClientCapabilities): boolean {
  if (roots === undefined) return true;
  return have.roots !== undefined && (!roots.listChanged || have.roots.listChanged === true);
}

/** Every member asked for is present; contents do not matter (SS-45, SS-49). */
function coversKeys(have: object | undefined, required: object | undefined): boolean {
  return required === undefined || (have !== undefined && Object.keys(required).every((key) => key in have));
}

/** A client that declares `{}` takes forms only (SS-46). */
function coversElicitation(have: ClientCapabilities, { elicitation }: ClientCapabilities): boolean {
  if (elicitation === undefined) return true;
  if (have.elicitation === undefined) return false;
  const formOnly = Object.keys(have.elicitation).length === 0;
  return coversKeys(formOnly ? { form: {} } : have.elicitation, elicitation);
}

/** Present with an equal value (SS-47). */
function coversExactly(have: object | undefined, required: object | undefined): boolean {
  if (required === undefined) return true;
  return (
    have !== undefined &&
    Object.entries(required).every(([key, value]) => Object.hasOwn(have, key) && deepEqual(Reflect.get(have, key), value))
  );
}

/** Presence, level by level; `list` and `cancel` are not looked at (TK-12). */
function coversTasks(have: ClientCapabilities["tasks"], required: ClientCapabilities["tasks"]): boolean {
  const asked = required?.requests;
  if (asked === undefined) return required === undefined || have !== undefined;
  const given = have?.requests;
  if (given === undefined) return false;
  return (
    (asked.elicitation === undefined || (given.elicitation !== undefined && coversKeys(given.elicitation, asked.elicitation))) &&
    (asked.sampling === undefined || (given.sampling !== undefined && coversKeys(given.sampling, asked.sampling)))
  );
}

function deepEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, index) => deepEqual(item, b[index]));
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && deepEqual(a[key], b[key]));
}
