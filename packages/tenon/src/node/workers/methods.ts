/** The methods of each store that a worker calls in the primary process, by their names. */
import type { CalledStore } from "./messages.ts";

export const METHODS: Readonly<Record<CalledStore, readonly string[]>> = {
  keyed: ["read", "swap", "renew", "join", "leave", "next"],
  events: ["open", "append", "add", "read", "adopt", "drop"],
  states: ["put", "get", "claim"],
  proofs: ["put", "get", "claim"],
  tasks: ["insert", "get", "replace", "lease", "release", "abandoned", "list", "forget"],
  logins: ["get", "set", "delete"],
  rates: ["take"],
  bus: ["publish", "open", "close"],
  taskChanges: ["open"],
  locks: ["acquire", "release"],
};
