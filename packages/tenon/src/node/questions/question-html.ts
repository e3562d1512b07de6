/**
 * The HTML of a question: a form, an invitation to a page, and what the user sees afterwards. It has no scripts.
 *
 * Security: text of the server is escaped, and cleaned of characters that hide or reorder text.
 */
import { escapeHtml, htmlPage, type HtmlPage } from "../../base/text/html-page.ts";
import type { ElicitRequestFormParams, ElicitRequestURLParams, PrimitiveSchemaDefinition } from "../../protocol/elicitation.ts";
import type { Choice } from "../../schema/form.ts";
import { clean, cleanLine } from "./display.ts";
import { fieldChoices } from "./form.ts";

/** What is wrong with a field, by its name. */
export type Problems = { readonly [name: string]: string };

/** The form, with what was typed before and what is wrong with it. */
export function formPage(
  server: string,
  { message, requestedSchema }: ElicitRequestFormParams,
  problems: Problems,
  typed: URLSearchParams,
): HtmlPage {
  const { properties, required = [] } = requestedSchema;
  const fields = Object.entries(properties).map(([name, field], index) => {
    const control = controlOf(field, `field${index}`, typed.size === 0 ? defaultsOf(field) : typed.getAll(`field${index}`));
    const note = required.includes(name) ? "" : " (optional)";
    const problem = Object.hasOwn(problems, name)
      ? `<small class="problem" role="alert">${escapeHtml(cleanLine(problems[name]!))}</small>`
      : "";
    const about = field.description === undefined ? "" : `<small>${escapeHtml(cleanLine(field.description))}</small>`;
    return `<label>${escapeHtml(cleanLine(field.title ?? name))}${note}${about}${control}${problem}</label>`;
  });
  return page(
    `${server} asks`,
    `<p class="message">${escapeHtml(clean(message))}</p><form method="post">${fields.join("\n")}${fields.length === 0 ? buttons("Yes", "No") : buttons("Send")}</form>`,
  );
}

/** The whole address of a page, before it is opened. */
export function visitPage(server: string, { message, url }: ElicitRequestURLParams): HtmlPage {
  const { href, host } = new URL(url);
  const address = `<p>It wants to open a page of <strong>${escapeHtml(host)}</strong>:</p><code class="address">${escapeHtml(href)}</code>`;
  return page(
    `${server} asks`,
    `<p class="message">${escapeHtml(clean(message))}</p>${address}<form method="post">${buttons("Open the page")}</form>`,
  );
}

/** A page after which nothing comes. @param title @param text constant text */
export function endPage(title: string, text: string): HtmlPage {
  return page(title, `<p>${text}</p>`);
}

/** The page, over a connection that is not kept: the program may end after it. */
function page(title: string, content: string): HtmlPage {
  const { headers, html } = htmlPage(title, content);
  return { html, headers: [...headers, "Connection", "close"] };
}

/** The second one does not check what was typed. */
function buttons(accept: string, decline = "Decline"): string {
  return `<button class="main" name="action" value="accept">${accept}</button><button name="action" value="decline" formnovalidate>${decline}</button>`;
}

function controlOf(field: PrimitiveSchemaDefinition, name: string, values: readonly string[]): string {
  const choices = shownChoices(field);
  if (choices.length === 0) return `<input name="${name}" type="${inputType(field)}" value="${escapeHtml(values[0] ?? "")}">`;
  const options = choices.map(({ title }, place) => {
    return `<option value="${place}"${values.includes(String(place)) ? " selected" : ""}>${escapeHtml(cleanLine(title))}</option>`;
  });
  const isMany = field.type === "array";
  return `<select name="${name}"${isMany ? " multiple" : ""}>${isMany ? "" : '<option value=""></option>'}${options.join("")}</select>`;
}

const YES_OR_NO = [
  { value: "yes", title: "Yes" },
  { value: "no", title: "No" },
];

/** The choices of a field in the order of the page, which sends their places: a choice may be any text. */
export function shownChoices(field: PrimitiveSchemaDefinition): readonly Choice<string>[] {
  return field.type === "boolean" ? YES_OR_NO : fieldChoices(field);
}

/** Numbers are typed as text: a field for numbers changes with the wheel and drops what it cannot read. */
function inputType(field: PrimitiveSchemaDefinition): string {
  return "format" in field && (field.format === "email" || field.format === "date") ? field.format : "text";
}

/** What a control has at first: a text, or the places of choices. */
function defaultsOf(field: PrimitiveSchemaDefinition): readonly string[] {
  if (field.default === undefined) return [];
  const values =
    typeof field.default === "object"
      ? field.default
      : [field.default === true ? "yes" : field.default === false ? "no" : String(field.default)];
  const choices = shownChoices(field);
  return choices.length === 0 ? values : values.map((one) => String(choices.findIndex(({ value }) => value === one)));
}
