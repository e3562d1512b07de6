/** Dark or light: as the system says, until the user chooses. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";

const STORED = "tenon-inspector-theme";
const THEMES = ["system", "light", "dark"] as const;

export function ThemeButton(): VNode {
  const [theme, setTheme] = useState(() => THEMES.find((one) => one === localStorage.getItem(STORED)) ?? "system");
  useEffect(() => {
    document.documentElement.dataset["theme"] = theme;
    localStorage.setItem(STORED, theme);
  }, [theme]);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!;
  return (
    <button type="button" aria-label={`Theme: ${theme}. Change to ${next}`} title={`Theme: ${theme}`} onClick={() => setTheme(next)}>
      {theme === "dark" ? "☾" : theme === "light" ? "☀" : "◐"}
    </button>
  );
}
