/** Dark or light: as the system says, until the user chooses. */
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { keepTheme, theme, THEMES } from "../data/scheme.ts";

export function ThemeButton(): VNode {
  const now = theme.value;
  useEffect(keepTheme, [now]);
  const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length]!;
  return (
    <button type="button" aria-label={`Theme: ${now}. Change to ${next}`} title={`Theme: ${now}`} onClick={() => (theme.value = next)}>
      {now === "dark" ? "☾" : now === "light" ? "☀" : "◐"}
    </button>
  );
}
