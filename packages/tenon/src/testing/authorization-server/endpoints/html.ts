/** HTML pages: static, without scripts, never in a frame. */
import type { EndpointResponse } from "../exchange.ts";

export interface Page {
  readonly title: string;
  /** HTML, escaped by the caller. */
  readonly body: string;
  /** Where its form may redirect besides this server: sources of a content security policy. */
  readonly formTargets?: readonly string[];
  /** Names and values in turn. */
  readonly headers?: readonly string[];
}

export function htmlPage({ title, body, formTargets = [], headers = [] }: Page): EndpointResponse {
  const policy = `default-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action ${["'self'", ...formTargets].join(" ")}`;
  return {
    status: 200,
    html: `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escapeHtml(title)}</title><h1>${escapeHtml(title)}</h1>${body}</html>`,
    headers: ["Content-Security-Policy", policy, "X-Frame-Options", "DENY", "Referrer-Policy", "same-origin", ...headers],
  };
}

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}
