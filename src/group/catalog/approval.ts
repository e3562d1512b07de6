/** Taking a tool that is held back, after somebody has looked at it. */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { Tool } from "../../protocol/tools.ts";
import type { Catalog } from "./catalog.ts";
import { digestOf, type Pins } from "./tool-pins.ts";

/** Whose tools are approved. */
interface Approved {
  readonly name: string;
  /** The tool of that name may be used as it is now. */
  release(tool: string): void;
}

/** @throws McpError -32602 where no such tool is held back, or it is another one than `tool` by now */
export async function approve<Owner extends Approved>(
  catalog: Catalog<Owner>,
  pins: Pins | undefined,
  name: string,
  tool: Tool,
): Promise<void> {
  const digest = await digestOf(tool);
  const found = catalog.find("tool", name);
  const isSame = found !== undefined && found.held && (await digestOf(found.component)) === digest;
  if (!isSame || catalog.find("tool", name)?.component !== found.component)
    throw new McpError(ErrorCode.InvalidParams, `No such tool is held back: ${name}`);
  pins?.pin([[name, digest]]);
  found.owner.release(name);
}
