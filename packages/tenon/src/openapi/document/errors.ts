/** Why a document, an operation of it, or an argument of a call cannot be used. */

/** A document that cannot be served: it cannot be read, or is not OpenAPI 3. The message names the reason. */
export class OpenApiDocumentError extends Error {
  override name = "OpenApiDocumentError";
}

/** Why one operation cannot become a tool. Its message is the reason in the report. */
export class UnmappableError extends Error {
  override name = "UnmappableError";
}

/** Why an argument cannot be sent, as the end of a sentence that begins with the argument's name. The model reads it. */
export class ArgumentError extends Error {
  override name = "ArgumentError";
}
