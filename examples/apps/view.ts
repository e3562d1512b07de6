// The view of the tool `forecast`. It runs in a frame of the host, and is bundled into one HTML document by the server.
/// <reference lib="dom" />
import { connectView } from "tenon/ext/apps/view";
import type { server } from "./server.ts";

type Forecast = Awaited<ReturnType<typeof view.call.other_city>>;

const STYLE = `
  :root { color-scheme: light dark; --text: light-dark(#1a1c20, #eceef2); --soft: light-dark(#5b616e, #a3aab8); --line: light-dark(#d9dde5, #3a3f4b) }
  body { margin: 0; padding: 16px; font: 15px/1.4 system-ui, sans-serif; color: var(--text); background: light-dark(#fff, #1d2027) }
  header { display: flex; flex-wrap: wrap; gap: 8px 12px; align-items: center; justify-content: space-between }
  h1 { margin: 0; font-size: 20px }
  form { display: flex; gap: 8px }
  input, button { font: inherit; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: 8px; padding: 6px 10px; min-width: 0 }
  button { cursor: pointer; background: light-dark(#f2f4f8, #2a2e38) }
  ol { list-style: none; margin: 16px 0 0; padding: 0; display: grid; grid-template-columns: repeat(auto-fit, minmax(84px, 1fr)); gap: 8px }
  li { display: grid; justify-items: center; gap: 2px; padding: 12px 4px; border: 1px solid var(--line); border-radius: 12px }
  li span:first-child, li span:last-child { color: var(--soft); font-size: 13px }
  li strong { font-size: 22px; font-variant-numeric: tabular-nums }
  [role="status"]:empty { display: none }
  [role="status"] { margin: 12px 0 0; color: var(--soft) }`;

document.title = "Forecast";
document.head.append(make("style", STYLE));
const title = make("h1", "Forecast");
const city = Object.assign(make("input"), {
  name: "city",
  placeholder: "Another city",
  required: true,
  maxLength: 50,
  size: 14,
});
city.setAttribute("aria-label", "Another city");
const form = make("form", city, make("button", "Show"));
const days = make("ol");
const status = Object.assign(make("p", "Waiting for the forecast…"), {
  role: "status",
});
document
  .querySelector("#root")!
  .append(make("header", title, form), days, status);

const view = await connectView<typeof server, "forecast">({
  name: "forecast",
  version: "1.0.0",
});
view.on("input", (args) => (title.textContent = args.city));
view.on("result", ({ data, text, isError }) =>
  isError ? (status.textContent = text) : show(data),
);
view.on(
  "cancelled",
  () => (status.textContent = "The forecast was cancelled."),
);

form.addEventListener("submit", (event) => {
  event.preventDefault();
  void load(city.value);
});

async function load(name: string): Promise<void> {
  status.textContent = `Loading ${name}…`;
  try {
    const forecast = await view.call.other_city({ city: name });
    show(forecast);
    await view.updateModelContext({
      structuredContent: { shownCity: forecast.city },
    });
  } catch (error) {
    status.textContent = (error as Error).message;
  }
}

function show(forecast: Forecast): void {
  title.textContent = forecast.city;
  status.textContent = "";
  days.replaceChildren(
    ...forecast.days.map(({ day, degrees, sky }) =>
      make(
        "li",
        make("span", day),
        make("strong", `${degrees}°`),
        make("span", sky),
      ),
    ),
  );
}

/** An element with that content. Text is text: what a server sends is never read as HTML. */
function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  ...content: (string | Node)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  element.append(...content);
  return element;
}
