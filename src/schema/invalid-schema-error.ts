/** What is thrown for a schema that cannot be used, whoever wrote it. It says nothing about a value. */

/** A schema is malformed, refers outside itself, or uses what Tenon does not run. A server's own: a bug; a peer's: its tool is unusable. */
export class InvalidSchemaError extends TypeError {
  override name = "InvalidSchemaError";
  /** JSON Pointer to the keyword at fault; empty for the whole schema. */
  readonly location: string;

  constructor(reason: string, location = "", options?: ErrorOptions) {
    super(location === "" ? `Invalid schema: ${reason}` : `Invalid schema at ${location}: ${reason}`, options);
    this.location = location;
  }
}
