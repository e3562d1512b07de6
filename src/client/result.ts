/** The result of a tool call, with the two things most callers want: its data and its text. */
import type { Meta } from "../protocol/base.ts";
import type { ContentBlock } from "../protocol/content.ts";
import type { CallToolResult } from "../protocol/tools.ts";

/** What a tool answered: `data` and `text` for most, `content` and the rest as they came. */
export class ToolResult<Data = unknown> {
  /** Text, images and the rest, in the order the tool gave them. */
  readonly content: readonly ContentBlock[];
  /** Any JSON value; absent where the tool gave none. */
  declare readonly structuredContent?: Data;
  /** The tool failed; `text` says why. */
  readonly isError: boolean;
  /** What the server put beside the result. */
  declare readonly _meta?: Meta;

  /** For results that came another way, such as through a recorder. Nothing is checked. */
  constructor(result: CallToolResult) {
    this.content = result.content;
    // Checked against the tool's schema where it has one; without one `Data` is what the caller expects.
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
