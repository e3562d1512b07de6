/** The result of a tool call, with the two things most callers want: its data and its text. */
import type { Meta } from "../protocol/base.ts";
import type { ContentBlock } from "../protocol/content.ts";
import type { CallToolResult } from "../protocol/tools.ts";

/** The result of a tool call: `data` and `text` for most callers; `content` and the rest as the server sent them. */
export class ToolResult<Data = unknown> {
  /** Text, images and the rest, in the order the tool gave them. */
  readonly content: readonly ContentBlock[];
  /** Any JSON value; absent if the tool returned none. */
  declare readonly structuredContent?: Data;
  /** Whether the tool failed; `text` says why. */
  readonly isError: boolean;
  /** The `_meta` of the result. */
  declare readonly _meta?: Meta;

  /** Wraps a result from elsewhere, such as a recorder. Checks nothing. */
  constructor(result: CallToolResult) {
    this.content = result.content;
    // Checked against the tool's schema if it has one; without one the caller chooses `Data`.
    if (result.structuredContent !== undefined) this.structuredContent = result.structuredContent as Data;
    this.isError = result.isError === true;
    if (result._meta !== undefined) this._meta = result._meta;
  }

  /** The structured result. */
  get data(): Data | undefined {
    return this.structuredContent;
  }

  /** All text blocks, joined by line breaks. */
  get text(): string {
    return this.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  }
}
