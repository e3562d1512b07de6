/** The options of a group by name, for the check of what users pass. */
import type { OptionKeys, Replacements } from "../base/known-options.ts";
import { serverOptionKeys } from "../upstream/options.ts";
import { GROUP_LIMITS } from "./limits.ts";
import type { GroupOptions } from "./options.ts";

/** The options of a group. */
export function groupOptionKeys(): OptionKeys<GroupOptions> {
  const { auth: _auth, limits, ...keys } = serverOptionKeys();
  return {
    ...keys,
    limits: { ...GROUP_LIMITS, ...Object(limits) },
    readyTimeout: 1,
    clock: 1,
    nameHook: 1,
    pinTools: 1,
    stack: 1,
    onServerError: 1,
    onChange: 1,
  };
}

const OF_A_SERVER = "It belongs to a server of the group: { name: { url, … } }.";
/** What a group has under another name, or a server of it. */
export const OF_GROUP: Replacements = {
  onError: 'Did you mean "onServerError"?',
  auth: OF_A_SERVER,
  headers: OF_A_SERVER,
  fetch: OF_A_SERVER,
};
