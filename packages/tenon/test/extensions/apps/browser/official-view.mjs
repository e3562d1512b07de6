// The script of a view on the official `@modelcontextprotocol/ext-apps`: it records what it receives.
import { App } from "@modelcontextprotocol/ext-apps/app-with-deps";

globalThis.told = [];
const tell = (name) => (value) => void told.push([name, value]);
const app = new App({ name: "official", version: "1" }, { tools: {}, availableDisplayModes: ["inline", "fullscreen"] });
app.ontoolinputpartial = tell("partial");
app.ontoolinput = tell("input");
app.ontoolresult = tell("result");
app.ontoolcancelled = tell("cancelled");
app.onhostcontextchanged = tell("context");
app.onteardown = () => {
  void app.sendLog({ level: "info", data: "closing" });
  return {};
};
app.onlisttools = () => Promise.resolve({ tools: [{ name: "shout", inputSchema: { type: "object" } }] });
app.oncalltool = ({ arguments: args }) =>
  Promise.resolve({ content: [{ type: "text", text: String(args?.["word"]).toUpperCase() }] });
globalThis.app = app;
await app.connect();
