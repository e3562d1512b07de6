/** Names in `_meta` by which a `subscriptions/listen` stream goes on at another node. They are Tenon's: no revision defines them. */

/** On a `subscriptions/listen` request and the messages of its stream, if nodes share their changes: the last change that the client knows. */
export const CURSOR_KEY = "dev.tenon/cursor";
/** On the acknowledgement of such a request: the changes since the cursor are not kept, so the client must read everything again. */
export const REREAD_KEY = "dev.tenon/reread";
