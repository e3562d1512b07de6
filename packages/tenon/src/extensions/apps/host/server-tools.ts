/** The tools of a host's server: one list for the model and for views, read when it is needed and again for an unknown name. */
import { items } from "../../../client/call/pages.ts";
import type { Tool } from "../../../protocol/tools.ts";
import type { AppClient } from "./options.ts";
import { isVisibleTo } from "./tool-access.ts";

export class ServerTools {
  readonly #client: AppClient;
  #known: Promise<readonly Tool[]> | undefined;

  constructor(client: AppClient) {
    this.#client = client;
  }

  read(): Promise<readonly Tool[]> {
    const reading = this.#readPages();
    reading.catch(() => (this.#known = undefined));
    return (this.#known = reading);
  }

  /** The tool of that name, if a view may call it. */
  async forView(name: string): Promise<Tool | undefined> {
    const find = (tools: readonly Tool[]): Tool | undefined => tools.find((tool) => tool.name === name);
    const tool = find((await this.#known) ?? []) ?? find(await this.read());
    return tool !== undefined && isVisibleTo(tool, "app") ? tool : undefined;
  }

  async #readPages(): Promise<readonly Tool[]> {
    const tools: Tool[] = [];
    const pages = items(
      (cursor) => this.#client.listTools(cursor === undefined ? {} : { cursor }),
      (page) => page.tools,
    );
    for await (const tool of pages) tools.push(tool);
    return tools;
  }
}
