/** Tabs of one pane: a list of names, and the panel of the chosen one. */
import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";

export interface Tab {
  readonly name: string;
  readonly panel: () => ComponentChildren;
}

export function Tabs({ tabs, label }: { tabs: readonly Tab[]; label: string }): VNode {
  const [chosen, choose] = useState(0);
  const at = Math.min(chosen, tabs.length - 1);
  const move = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const next = (at + step + tabs.length) % tabs.length;
    choose(next);
    const buttons = (event.currentTarget as HTMLElement).children;
    (buttons[next] as HTMLElement | undefined)?.focus();
  };
  return (
    <div class="tabs">
      <div role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map(({ name }, index) => (
          <button
            key={name}
            type="button"
            role="tab"
            aria-selected={index === at}
            tabIndex={index === at ? 0 : -1}
            onClick={() => choose(index)}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" aria-label={tabs[at]?.name} tabIndex={0} class="panel">
        {tabs[at]?.panel()}
      </div>
    </div>
  );
}
