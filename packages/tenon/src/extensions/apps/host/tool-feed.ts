/**
 * Tells a view of the call that it shows, in the order that views rely on: partial arguments, the complete ones once, then the result
 * or the cancellation. MCP Apps 2026-01-26, Interactive phase.
 *
 * Nothing is sent before the view is ready. A result that comes first waits for the arguments.
 */
import { McpUsageError } from "../../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../../jsonrpc/message.ts";

type Send = (method: string, params: JsonObject) => unknown;

export class ToolFeed {
  readonly #send: Send;
  #isReady = false;
  /** The last partial arguments before the view was ready; older ones have no use. */
  #partial: JsonObject | undefined;
  #input: JsonObject | undefined;
  #end: readonly [method: string, params: JsonObject] | undefined;

  constructor(send: Send) {
    this.#send = send;
  }

  /** @throws McpUsageError after the complete arguments */
  partialInput(args: JsonObject): void {
    if (this.#input !== undefined) throw new McpUsageError("The view has the complete arguments already");
    if (this.#isReady) this.#send("ui/notifications/tool-input-partial", { arguments: args });
    else this.#partial = args;
  }

  /** @throws McpUsageError if it is called twice */
  input(args: JsonObject): void {
    if (this.#input !== undefined) throw new McpUsageError("The view has the complete arguments already");
    this.#input = args;
    if (!this.#isReady) return;
    this.#send("ui/notifications/tool-input", { arguments: args });
    this.#flushEnd();
  }

  /** The call ended; only its first end counts. */
  end(kind: "tool-result" | "tool-cancelled", params: JsonObject): void {
    if (this.#end !== undefined) return;
    this.#end = [`ui/notifications/${kind}`, params];
    if (this.#isReady && this.#input !== undefined) this.#flushEnd();
  }

  /** The view is ready: sends what has waited. */
  ready(): void {
    this.#isReady = true;
    if (this.#input !== undefined) this.#send("ui/notifications/tool-input", { arguments: this.#input });
    else if (this.#partial !== undefined) this.#send("ui/notifications/tool-input-partial", { arguments: this.#partial });
    if (this.#input !== undefined) this.#flushEnd();
  }

  #flushEnd(): void {
    if (this.#end !== undefined) this.#send(...this.#end);
  }
}
