/** The script of a view on `tenon/ext/apps/view`: it records what it receives, and the tests call the view through its frame. */
import { connectView, type View } from "tenon/ext/apps/view";

declare global {
  // oxlint-disable-next-line no-var -- globals of the page
  var view: View;
  // oxlint-disable-next-line no-var
  var events: [name: string, value: unknown][];
}

globalThis.events = [];
globalThis.view = await connectView({
  name: "own",
  version: "1",
  displayModes: ["inline", "fullscreen"],
  tools: {
    shout: { description: "Shouts", run: ({ word }) => String(word).toUpperCase() },
    fail: { run: () => Promise.reject(new Error("no")) },
    wait: {
      run: (_args, signal) =>
        new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve((document.title = "cancelled")))),
    },
  },
});
for (const name of ["partialInput", "input", "result", "cancelled", "context"] as const) {
  view.on(name, (value: unknown) => void events.push([name, value]));
}
view.on("close", () => view.log("info", "closing"));
