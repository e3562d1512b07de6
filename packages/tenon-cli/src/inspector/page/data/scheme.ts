/** The theme that the user chose, and the colours that the page has now. */
import { computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";

const STORED = "tenon-inspector-theme";
export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const system = matchMedia("(prefers-color-scheme: dark)");
const isSystemDark = signal(system.matches);
system.addEventListener("change", ({ matches }) => (isSystemDark.value = matches));

export const theme: Signal<Theme> = signal(THEMES.find((one) => one === localStorage.getItem(STORED)) ?? "system");

export const scheme: ReadonlySignal<"light" | "dark"> = computed(() => {
  if (theme.value !== "system") return theme.value;
  return isSystemDark.value ? "dark" : "light";
});

export function keepTheme(): void {
  document.documentElement.dataset["theme"] = theme.value;
  localStorage.setItem(STORED, theme.value);
}
