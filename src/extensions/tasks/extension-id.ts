/** The id of the official extension (SEP-2663). */
export const EXTENSION_ID = "io.modelcontextprotocol/tasks";
