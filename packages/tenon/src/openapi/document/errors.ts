/** Why a document or an operation of it cannot be used. */

/** A document that cannot be served: it cannot be read, or is not OpenAPI 3. The message names the reason. */
export class OpenApiDocumentError extends Error {
  override name = "OpenApiDocumentError";
}

/** Why one operation cannot become a tool. Its message is the reason in the report. */
export class UnmappableError extends Error {
  override name = "UnmappableError";
}
