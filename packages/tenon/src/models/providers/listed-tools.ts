/** What the functions for model APIs return: the tools of a source in the form of one API, and what lists them again. */
import type { RunOptions, ToolNote } from "../options.ts";
import type { ToolKit } from "../tool-kit.ts";

/** The tools of a source in the form of one API. */
export interface ListedTools<Tools> {
  /** For the member `tools` of a request, or the same of an agent. */
  readonly tools: Tools;
  /** What the schemas needed. */
  readonly notes: readonly ToolNote[];
  /** Lists the tools again, for example after a change. Resolves with the new `tools`. */
  readonly refresh: () => Promise<Tools>;
}

/** The same for an API whose replies the program passes on. */
export interface RunnableTools<Tools, Reply, Results> extends ListedTools<Tools> {
  /** Makes the calls of a reply of the model. Resolves with their results in the form of the API. */
  readonly run: (reply: Reply, options?: RunOptions) => Promise<Results>;
}

/** Lists the tools of a kit now, and again with each `refresh`. */
export function listedTools<Tools>(kit: ToolKit, list: () => Tools): ListedTools<Tools> {
  const refresh = async (): Promise<Tools> => {
    await kit.refresh();
    return list();
  };
  return { tools: list(), notes: kit.notes, refresh };
}
