/** The start of the page: exchanges the ticket, draws the page, and follows what the process says. */
import { render } from "preact";
import { App } from "./app.tsx";
import { enter, follow, hasKey, Refused } from "./data/api.ts";
import { addEntries, live, shut } from "./data/store.ts";

async function start(): Promise<void> {
  try {
    await enter();
    if (!hasKey()) throw new Refused(401, "This tab has no key.");
    await follow({ onEntries: addEntries, onState: (isLive) => (live.value = isLive) });
  } catch (error) {
    shut.value = error instanceof Refused ? error.message : String(error);
  }
}

render(<App />, document.getElementById("app")!);
void start();
