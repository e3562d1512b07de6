/** A view, or a part of one, that has nothing yet: what would stand there, and how to get it. */
import type { ComponentChildren, VNode } from "preact";
import { route } from "../data/route.ts";
import { Icon } from "./icon.tsx";

export function Empty({ title, children }: { title: string; children: ComponentChildren }): VNode {
  return (
    <div class="empty">
      <span class="sign">
        <Icon of={route.value.view} />
      </span>
      <b>{title}</b>
      <p>{children}</p>
    </div>
  );
}
