/** A view, or a part of one, that has nothing yet: what would stand there, and how to get it. */
import type { ComponentChildren, VNode } from "preact";

export function Empty({ title, children }: { title: string; children: ComponentChildren }): VNode {
  return (
    <div class="empty">
      <b>{title}</b>
      <p>{children}</p>
    </div>
  );
}
