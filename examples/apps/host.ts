// A small host page: the user calls a tool, and sees its view. A chat does the same when its model calls one.
/// <reference lib="dom" />
import { connect } from "tenon/client";
import { apps } from "tenon/ext/apps";
import { AppHost } from "tenon/ext/apps/host";

const { server, sandbox } = document.body.dataset as {
  server: string;
  sandbox: string;
};
const conversation = document.querySelector<HTMLElement>("#conversation")!;
const form = document.querySelector("form")!;
const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = (): "light" | "dark" => (dark.matches ? "dark" : "light");

const client = await connect(server, { extensions: [apps()] }); // tells the server that this client shows views
const host = new AppHost({
  client,
  sandbox,
  info: { name: "example-host", version: "1.0.0" },
  context: { theme: theme(), locale: navigator.language, platform: "web" },
  // This page trusts its one server. A chat asks its user before a view calls a tool that changes something.
  approve: () => true,
  onModelContext: ({ structuredContent }) =>
    note(`The view told the model: ${JSON.stringify(structuredContent)}`),
  onOpenLink: (url) =>
    confirm(`Open ${url.href}?`) && void open(url, "_blank", "noopener"),
  onError: (error) => console.warn(error),
});
dark.addEventListener("change", () => host.setContext({ theme: theme() }));

const tools = await host.modelTools();
form.addEventListener("submit", (event) => {
  event.preventDefault();
  void ask(form.querySelector("input")!.value);
});
form.querySelector("button")!.disabled = false;

async function ask(city: string): Promise<void> {
  note(`What is the weather in ${city}?`, "user");
  const tool = tools.find(({ name }) => name === "forecast")!;
  const result = client.callTool(tool.name, { city });
  const place = conversation.appendChild(document.createElement("section"));
  try {
    await host.mount(place, { tool, arguments: { city }, result });
    note(`The model reads: ${(await result).text}`);
  } catch (error) {
    note((error as Error).message);
  }
}

function note(text: string, role = "note"): void {
  conversation.append(
    Object.assign(document.createElement("p"), {
      textContent: text,
      className: role,
    }),
  );
}
