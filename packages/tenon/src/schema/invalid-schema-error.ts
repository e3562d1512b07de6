/** The error for a schema that cannot be used. It says nothing about a value. */

/**
 * A schema is malformed, refers outside itself, or uses something that Tenon does not support. In a server's own schema it is a
 * bug; a peer's tool with such a schema cannot be used.
 */
export class InvalidSchemaError extends TypeError {
  override name = "InvalidSchemaError";
  /** JSON Pointer to the faulty keyword; empty for the whole schema. */
  readonly location: string;

  constructor(reason: string, location = "", options?: ErrorOptions) {
    super(location === "" ? `Invalid schema: ${reason}` : `Invalid schema at ${location}: ${reason}`, options);
    this.location = location;
  }
}
