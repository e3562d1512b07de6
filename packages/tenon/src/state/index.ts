/** `tenon/state`: what handlers keep between calls, of a user, of one program of a user, or of a session. */
export { state, StateConflictError, type State, type StateEntry } from "./state.ts";
export { forget, type ForgetOptions } from "./forget.ts";
export type { KeptLimits, StateOptions } from "./options.ts";
export type { StatePer, UserName } from "./owner.ts";
