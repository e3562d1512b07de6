/** The `_meta` keys of Tenon itself: no revision defines them. */

/** On a `subscriptions/listen` request and the messages of its stream, if nodes share their changes: the last change that the client knows. */
export const CURSOR_KEY = "dev.tenon/cursor";
/** On the acknowledgement of such a request: the changes since the cursor are not kept, so the client must read everything again. */
export const REREAD_KEY = "dev.tenon/reread";
/** On a task of the extension: its newest progress, which the protocol has no place for. */
export const PROGRESS_KEY = "dev.tenon/progress";
/** On a request: `true` asks a server of Tenon for the steps of its handler. On the result: those steps. */
export const STEPS_KEY = "dev.tenon/steps";
/** On a `tools/list` request: `true` asks a server with `discovery`, and a gateway with `search`, for all tools that the caller may call. */
export const WHOLE_LIST_KEY = "dev.tenon/wholeList";
/** On the result of a tool that was made from an operation or a procedure, if it failed: its `code`, and perhaps its `status` and `data`. */
export const FAILURE_KEY = "dev.tenon/failure";
/** In the `_meta` of a listed tool or prompt: its version. In the `_meta` of a request: the version that it is for. */
export const VERSION_KEY = "dev.tenon/version";
/** On a result that was too long: the `uri` under which the rest of its text is kept, and its `length` in characters. */
export const SPILL_KEY = "dev.tenon/spilled";
