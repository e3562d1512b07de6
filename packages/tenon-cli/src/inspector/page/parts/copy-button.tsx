/** A button that copies a text, and says so. */
import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";

export function CopyButton({ text, label, children }: { text: () => string; label: string; children?: ComponentChildren }): VNode {
  const [said, setSaid] = useState("");
  const copy = async (event: Event): Promise<void> => {
    event.preventDefault();
    event.stopPropagation();
    try {
      await navigator.clipboard.writeText(text());
      setSaid("copied");
    } catch {
      setSaid("the browser refused");
    }
    setTimeout(() => setSaid(""), 1_500);
  };
  return (
    <button
      type="button"
      class="small copy"
      title={label}
      aria-label={said === "" && children === undefined ? `copy: ${label}` : undefined}
      onClick={(event) => void copy(event)}
    >
      {said === "" ? (children ?? "copy") : <span role="status">{said}</span>}
    </button>
  );
}
