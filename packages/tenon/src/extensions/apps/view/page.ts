/** What a view does to its page for the host: applies the host's styles, and reports the size of its content. */
import type { HostContext } from "../../../protocol/apps.ts";

let fonts: HTMLStyleElement | undefined;

/** Sets `data-theme`, the color scheme, the host's CSS variables and its fonts on the document. */
export function applyStyles({ theme, styles }: HostContext): void {
  const { dataset, style } = document.documentElement;
  if (theme) style.colorScheme = dataset["theme"] = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {})) style.setProperty(name, value ?? null);
  if (styles?.css?.fonts === undefined) return;
  fonts ??= document.head.appendChild(document.createElement("style"));
  fonts.textContent = styles.css.fonts;
}

/** Calls `report` with the size of the content in CSS pixels, now and after each change. Returns a function that stops. */
export function watchSize(report: (size: { width: number; height: number }) => void): () => void {
  let last = "";
  const observer = new ResizeObserver(() => {
    const { width, height } = document.documentElement.getBoundingClientRect();
    const size = { width: Math.ceil(width), height: Math.ceil(height) };
    const text = JSON.stringify(size);
    if (text !== last) report(size);
    last = text;
  });
  observer.observe(document.documentElement);
  return () => observer.disconnect();
}
