/** Leaves out tools whose input schema is invalid, because a program that hands them to a model would fail with all of them. */
import { LimitExceededError, ProtocolViolationError } from "../../jsonrpc/mcp-error.ts";
import type { Tool } from "../../protocol/tools.ts";
import { InvalidSchemaError } from "../../schema/invalid-schema-error.ts";
import type { JsonSchemaValidator } from "../../schema/json-schema-validator.ts";

export interface ToolCheck {
  readonly validator: JsonSchemaValidator;
  /** Called with the reason for each tool that is left out. */
  readonly report: (error: Error) => void;
}

/** The tools whose input schema is usable. */
export async function usableTools(tools: readonly Tool[], check: ToolCheck): Promise<readonly Tool[]> {
  const verdicts = await Promise.all(tools.map((tool) => hasSchema(tool, check)));
  return tools.filter((_tool, index) => verdicts[index]);
}

async function hasSchema({ name, inputSchema }: Tool, { validator, report }: ToolCheck): Promise<boolean> {
  try {
    await validator.compile(inputSchema);
    return true;
  } catch (error) {
    if (isUnsupported(error)) return true;
    const reason = error instanceof Error ? error.message : String(error);
    const message = `The tool ${JSON.stringify(name)} is left out: its input schema cannot be used: ${reason}`;
    report(new ProtocolViolationError(message, undefined, { cause: error }));
    return false;
  }
}

/** Whether Tenon cannot compile a schema that may be valid, because of its dialect or one of its patterns. */
function isUnsupported(error: unknown): boolean {
  if (error instanceof LimitExceededError) return error.limit.startsWith("pattern");
  return (
    error instanceof InvalidSchemaError && (error.cause !== undefined || /\/\$(?:schema|dynamicRef|recursiveRef)$/.test(error.location))
  );
}
