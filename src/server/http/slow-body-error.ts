/** A body that came too slowly to be waited for: 408 (row H7). */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";

export class SlowBodyError extends McpError {
  override name = "SlowBodyError";

  /** @param bytesPerSecond what was asked for */
  constructor(bytesPerSecond: number) {
    const data = { limit: "minBodyRate", min: bytesPerSecond };
    super(ErrorCode.InvalidRequest, `The body came too slowly: less than ${bytesPerSecond} bytes a second (limit "minBodyRate")`, data);
  }
}
