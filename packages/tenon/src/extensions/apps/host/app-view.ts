/** A view that is shown, as the callbacks of a host receive it. `MountedView` is the class behind it. */
import type { DisplayMode, HostContext } from "../../../protocol/apps.ts";
import type { Implementation } from "../../../protocol/capabilities.ts";
import type { Tool } from "../../../protocol/tools.ts";

/** A view that is shown. */
export interface AppView {
  /** The tool that the view belongs to. */
  readonly tool: Tool;
  /** The URI of the view on its server. */
  readonly uri: string;
  /** The frame, for its place in the page. Its height follows the view. */
  readonly frame: HTMLIFrameElement;
  /** Whether the view wants a border; undefined if it leaves that to the host. */
  readonly prefersBorder: boolean | undefined;
  /** The name and version that the view declared; undefined before it has started. */
  readonly info: Implementation | undefined;
  /** The modes that the view can be shown in; empty before it has started. */
  readonly displayModes: readonly DisplayMode[];
  /** What the view knows of the host. */
  readonly context: HostContext;
  /**
   * Changes what the view knows of the host: the members that are given.
   * @throws McpUsageError for a display mode that the view did not declare
   */
  setContext(change: HostContext): void;
  /** Announces the end to the view, waits for it at most `limits.closeTimeout`, and removes the frame. Idempotent. */
  close(reason?: string): Promise<void>;
}
