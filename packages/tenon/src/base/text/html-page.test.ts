/** Pages for a person: the policy allows exactly the stylesheet of the page, and text never becomes markup. */
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { buttons, escapeHtml, hiddenFields, htmlPage } from "./html-page.ts";

test("the policy allows the stylesheet of the page and nothing else", () => {
  const { headers, html } = htmlPage("Title", "<p>text</p>", ["https:"]);
  const style = /<style>([^]*)<\/style>/.exec(html)![1]!;
  const hash = createHash("sha256").update(style).digest("base64");
  expect(headers[headers.indexOf("Content-Security-Policy") + 1]).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; frame-ancestors 'none'; form-action 'self' https:`,
  );
});

test("text of others never becomes markup, in a title, a field or a button", () => {
  const hostile = `"><script>'&`;
  const safe = "&quot;&gt;&lt;script&gt;&#39;&amp;";
  expect(escapeHtml(hostile)).toBe(safe);
  expect(htmlPage(hostile, "").html).not.toContain("<script>");
  expect(hiddenFields({ [hostile]: hostile })).toBe(`<input type="hidden" name="${safe}" value="${safe}">`);
  expect(buttons("choice", { [hostile]: hostile, no: "No" })).toBe(
    `<button class="main" name="choice" value="${safe}">${safe}</button><button name="choice" value="no">No</button>`,
  );
});
