/** Writes the files of the page to `folder`. Returns the modules that went in, as absolute paths. */
export function buildInspectorPage(folder: string): Promise<string[]>;
