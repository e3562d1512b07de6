/**
 * The HTML of a question: a form, an invitation to a page, and what the user sees afterwards. It has no scripts.
 *
 * Security: text of the server is escaped, and cleaned of characters that hide or reorder text. The policy of the page loads nothing and lets
 * forms go to this page only.
 */
import { createHash } from "node:crypto";
import type { ElicitRequestFormParams, ElicitRequestURLParams, PrimitiveSchemaDefinition } from "../../protocol/elicitation.ts";
import { clean, cleanLine } from "./display.ts";
import { choicesOf, type Choice } from "./form.ts";

export interface Page {
  readonly headers: readonly string[];
  readonly html: string;
}

/** What is wrong with a field, by its name. */
export type Problems = { readonly [name: string]: string };

const STYLE = `
:root { color-scheme: light dark; font: 1.0625rem/1.5 system-ui, sans-serif; }
body { margin: 0; }
main { max-width: 34rem; margin: 0 auto; padding: 1.5rem; overflow-wrap: anywhere; }
h1 { font-size: 1.25rem; border-top: 0.25rem solid #c2703d; padding-top: 1rem; }
p.message { white-space: pre-line; }
label, fieldset { display: block; margin: 1rem 0; border: 0; padding: 0; }
input, select { display: block; box-sizing: border-box; width: 100%; font: inherit; padding: 0.4rem; }
small { display: block; opacity: 0.8; }
.problem { color: #c0392b; opacity: 1; }
code { display: block; padding: 0.75rem; border: 1px solid; }
button { font: inherit; padding: 0.5rem 1.25rem; margin: 1rem 0.5rem 0 0; }
`;
const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`;

/** A browser sends the origin of a form only with a policy that lets it; `no-referrer` would make it "null". */
const HEADERS: readonly string[] = [
  ...["Content-Type", "text/html; charset=utf-8", "Content-Security-Policy", POLICY, "X-Content-Type-Options", "nosniff"],
  ...["Referrer-Policy", "same-origin", "Cross-Origin-Opener-Policy", "same-origin", "Cache-Control", "no-store", "Connection", "close"],
];

/** The form, with what was typed before and what is wrong with it. */
export function formPage(
  server: string,
  { message, requestedSchema }: ElicitRequestFormParams,
  problems: Problems,
  typed: URLSearchParams,
): Page {
  const { properties, required = [] } = requestedSchema;
  const fields = Object.entries(properties).map(([name, field], index) => {
    const control = controlOf(field, `field${index}`, typed.size === 0 ? defaultsOf(field) : typed.getAll(`field${index}`));
    const note = required.includes(name) ? "" : " (optional)";
    const problem = Object.hasOwn(problems, name)
      ? `<small class="problem" role="alert">${escape(cleanLine(problems[name]!))}</small>`
      : "";
    const about = field.description === undefined ? "" : `<small>${escape(cleanLine(field.description))}</small>`;
    return `<label>${escape(cleanLine(field.title ?? name))}${note}${about}${control}${problem}</label>`;
  });
  return page(
    `${server} asks`,
    `<p class="message">${escape(clean(message))}</p><form method="post">${fields.join("\n")}${buttons("Send")}</form>`,
  );
}

/** The whole address of a page, before it is opened. */
export function visitPage(server: string, { message, url }: ElicitRequestURLParams): Page {
  const { href, host } = new URL(url);
  const address = `<p>It wants to open a page of <strong>${escape(host)}</strong>:</p><code>${escape(href)}</code>`;
  return page(
    `${server} asks`,
    `<p class="message">${escape(clean(message))}</p>${address}<form method="post">${buttons("Open the page")}</form>`,
  );
}

/** A page after which nothing comes. @param title @param text constant text */
export function endPage(title: string, text: string): Page {
  return page(title, `<p>${text}</p>`);
}

function page(title: string, content: string): Page {
  const name = escape(title);
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${name}</title><style>${STYLE}</style>`;
  return {
    headers: HEADERS,
    html: `<!doctype html><html lang="en"><head>${head}</head><body><main><h1>${name}</h1>${content}</main></body></html>`,
  };
}

/** The second one does not check what was typed. */
function buttons(accept: string): string {
  return `<button name="action" value="accept">${accept}</button><button name="action" value="decline" formnovalidate>Decline</button>`;
}

function controlOf(field: PrimitiveSchemaDefinition, name: string, values: readonly string[]): string {
  const choices = shownChoices(field);
  if (choices.length === 0) return `<input name="${name}" type="${inputType(field)}" value="${escape(values[0] ?? "")}">`;
  const options = choices.map(({ title }, place) => {
    return `<option value="${place}"${values.includes(String(place)) ? " selected" : ""}>${escape(cleanLine(title))}</option>`;
  });
  const isMany = field.type === "array";
  return `<select name="${name}"${isMany ? " multiple" : ""}>${isMany ? "" : '<option value=""></option>'}${options.join("")}</select>`;
}

const YES_OR_NO = [
  { value: "yes", title: "Yes" },
  { value: "no", title: "No" },
];

/** The choices of a field in the order of the page, which sends their places: a choice may be any text. */
export function shownChoices(field: PrimitiveSchemaDefinition): readonly Choice[] {
  return field.type === "boolean" ? YES_OR_NO : choicesOf(field);
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

const ENTITIES: { readonly [character: string]: string } = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
