/**
 * Mends tools whose input schema is invalid, and leaves out those that cannot be mended: a program that hands them to a model would fail with
 * all tools.
 */
import { LimitExceededError, ProtocolViolationError } from "../../jsonrpc/mcp-error.ts";
import type { Tool } from "../../protocol/tools.ts";
import { InvalidSchemaError } from "../../schema/invalid-schema-error.ts";
import type { JsonSchemaValidator } from "../../schema/json-schema-validator.ts";
import type { Reading } from "../../wire/deviations.ts";
import { mendedSchema } from "../../wire/schema-mending.ts";

export interface ToolCheck {
  readonly validator: JsonSchemaValidator;
  /** What happens to schemas that deviate. */
  readonly reading: Reading;
  /** Called with the reason for each tool that is left out. */
  readonly report: (error: Error) => void;
}

export async function usableTools(tools: readonly Tool[], check: ToolCheck): Promise<readonly Tool[]> {
  const usable = await Promise.all(tools.map((tool) => withUsableSchema(tool, check)));
  return usable.filter((tool) => tool !== undefined);
}

async function withUsableSchema(tool: Tool, check: ToolCheck): Promise<Tool | undefined> {
  const { name, inputSchema } = tool;
  const { validator, reading, report } = check;
  try {
    await validator.compile(inputSchema);
    return tool;
  } catch (error) {
    if (isUnsupported(error)) return tool;
    const mended = reading.strict ? inputSchema : mendedSchema(inputSchema, `result.tools[${JSON.stringify(name)}].inputSchema`, reading);
    if (mended !== inputSchema) return withUsableSchema({ ...tool, inputSchema: mended as Tool["inputSchema"] }, check); // an object as before
    const reason = error instanceof Error ? error.message : String(error);
    const message = `The tool ${JSON.stringify(name)} is left out: its input schema cannot be used: ${reason}`;
    report(new ProtocolViolationError(message, undefined, { cause: error }));
    return undefined;
  }
}

/** Whether Tenon cannot compile a schema that may be valid, because of its dialect or one of its patterns. */
function isUnsupported(error: unknown): boolean {
  if (error instanceof LimitExceededError) return error.limit.startsWith("pattern");
  return (
    error instanceof InvalidSchemaError && (error.cause !== undefined || /\/\$(?:schema|dynamicRef|recursiveRef)$/.test(error.location))
  );
}
