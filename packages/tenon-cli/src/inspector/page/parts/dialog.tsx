/** A dialog of the browser: it keeps the focus, closes with Esc, and gives the focus back. */
import type { ComponentChildren, VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

export function Dialog({ label, onClose, children }: { label: string; onClose: () => void; children: ComponentChildren }): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the next key, which would else go to the page: an effect waits for a frame.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      aria-label={label}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) dialog.current?.close();
      }}
    >
      {children}
    </dialog>
  );
}
