/** An operation of the page that cannot be done. The message says why, and the page shows it. */
export class OperationError extends Error {
  override name = "OperationError";
}
