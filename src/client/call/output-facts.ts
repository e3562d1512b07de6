/** What the check of a tool's output goes by, whether its schema is compiled already or not. */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { CallToolResult } from "../../protocol/tools.ts";
import type { JsonSchemaValidator } from "../../schema/json-schema-validator.ts";

/** What is known of one tool's output. */
export interface KnownTool {
  readonly outputSchema: JsonObject | undefined;
  /** Set once the schema is compiled. @throws ToolOutputValidationError */
  accept?: (result: CallToolResult) => CallToolResult;
}

/** What a session's checks stand on. */
export interface OutputFacts {
  /** Default: the one built in. */
  readonly validator: JsonSchemaValidator | undefined;
  /** Lists tools until `name` is found, at most once through. */
  readonly lookUp: (name: string) => Promise<void>;
  readonly report: (error: unknown) => void;
}
