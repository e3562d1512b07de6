/** Records what the user does, to keep it as a test. */
import type { VNode } from "preact";

export function Recording(_: { target: number }): VNode {
  return <p class="empty">Recordings.</p>;
}
