/** An argument that cannot be sent. */

/** Why an argument cannot be sent, as the end of a sentence that begins with the argument's name. The model reads it. */
export class ArgumentError extends Error {
  override name = "ArgumentError";
}
