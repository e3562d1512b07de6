/** Views that are files: an HTML document, or a script that `esbuild` bundles. Loaded with the first such view. */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { LimitExceededError, McpUsageError } from "../../jsonrpc/mcp-error.ts";

/** Reads an HTML file. @throws LimitExceededError if it has more than `maxBytes`, before it is read; whatever reading throws */
export async function readViewFile(file: URL, maxBytes: number): Promise<string> {
  const handle = await open(fileURLToPath(file), constants.O_RDONLY);
  try {
    const { size } = await handle.stat();
    if (size > maxBytes) throw new LimitExceededError("maxHtmlBytes", maxBytes, size);
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

/** Bundles a script, its imports and its styles into one HTML document. @throws McpUsageError without `esbuild`; Error of the bundler */
export async function bundleView(script: URL): Promise<string> {
  const { build } = await import("esbuild").catch((cause: unknown) => {
    throw new McpUsageError('A view given as { bundle } needs the package "esbuild": npm install esbuild', { cause });
  });
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(script)],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2022",
    charset: "utf8",
    logLevel: "silent",
    outdir: "/", // names the outputs; nothing is written
    jsx: "automatic",
  });
  const textOf = (extension: string): string => outputFiles.find(({ path }) => path.endsWith(extension))?.text ?? "";
  const style = textOf(".css").replaceAll("</style", "<\\/style");
  const code = textOf(".js").replaceAll("</script", "<\\/script").replaceAll("<!--", "\\x3C!--");
  return `<!doctype html>
<html>
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><style>${style}</style></head>
<body><div id="root"></div><script type="module">${code}</script></body>
</html>
`;
}
