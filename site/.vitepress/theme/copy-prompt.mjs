// A button above each page: it copies the page as Markdown, with what a coding agent needs to know to use it.
import { useData, withBase } from "vitepress";
import { defineComponent, h, ref, watch } from "vue";

/** What stands before the page in the prompt. */
const prompt = (path, text) =>
  [
    "You write TypeScript with Tenon, the SDK for the Model Context Protocol. Below is a page of its documentation.",
    "Use the names that it shows. To look up others, run `npx tenon docs <words>`, or ask the MCP server `npx tenon docs --mcp`.",
    `\n<page path="${path}">\n${text.trim()}\n</page>\n`,
    "My task: ",
  ].join("\n");

export const CopyPrompt = defineComponent(() => {
  const { page, frontmatter } = useData();
  const label = ref("Copy as prompt");
  watch(
    () => page.value.relativePath,
    () => (label.value = "Copy as prompt"),
  );
  async function copy() {
    const path = page.value.relativePath;
    try {
      const response = await fetch(withBase(`/${path}`));
      if (!response.ok) throw new Error(`HTTP ${response.status}`);
      await navigator.clipboard.writeText(prompt(path, await response.text()));
      label.value = "Copied";
    } catch {
      label.value = "Not copied: open it as Markdown";
    }
  }
  return () =>
    frontmatter.value.layout === "home"
      ? undefined
      : h("div", { class: "page-tools" }, [
          h("button", { type: "button", onClick: copy, "aria-live": "polite" }, label.value),
          h("a", { href: withBase(`/${page.value.relativePath}`), target: "_blank" }, "As Markdown"),
        ]);
});
