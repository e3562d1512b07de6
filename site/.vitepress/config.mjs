// The documentation site: what VitePress makes of `docs/`. Pages and their order come from the folders (sidebar.mjs).
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";
import { toAnchor } from "../anchors.mjs";
import { searchOptions } from "../search.mjs";
import { linkSources } from "../sources.mjs";
import { firstOf, sidebar } from "../sidebar.mjs";
import { titleBlocks } from "../titles.mjs";
import { writeTexts } from "../texts.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const docs = `${root}docs`;
const { description, version } = JSON.parse(readFileSync(`${root}packages/tenon/package.json`, "utf8"));

export default defineConfig({
  title: "Tenon",
  description,
  lang: "en",
  srcDir: docs,
  outDir: `${root}out/site`,
  // One search index and one API reference are larger than what Vite warns of.
  vite: { build: { chunkSizeWarningLimit: 5000 } },
  cacheDir: `${root}out/site-cache`,
  lastUpdated: false,
  // The sidebars and the names of all pages stand in one file, and not in each of the pages: nine tenths of a page.
  metaChunk: true,
  head: [["link", { rel: "icon", type: "image/svg+xml", href: "/logo.svg" }]],
  markdown: {
    theme: { light: "github-light", dark: "github-dark" },
    // The anchors that GitHub makes, so that a link to a heading works in both places.
    anchor: { slugify: toAnchor },
    config: (md) => {
      linkSources(md, root);
      titleBlocks(md);
    },
  },
  themeConfig: {
    logo: "/logo.svg",
    search: { provider: "local", options: { miniSearch: { searchOptions } } },
    nav: [
      { text: "Learn", link: firstOf(docs, "learn") },
      { text: "Tutorials", link: firstOf(docs, "tutorials") },
      { text: "Servers", link: firstOf(docs, "servers") },
      { text: "Serving", link: firstOf(docs, "serving") },
      { text: "Clients", link: firstOf(docs, "clients") },
      { text: "Tools", link: firstOf(docs, "tools") },
      { text: "Compared with", link: "/project/compared" },
      { text: "Reference", link: "/reference/" },
      { text: version, link: "/project/versions" },
    ],
    sidebar: sidebar(docs),
    outline: [2, 3],
    docFooter: { prev: "Previous", next: "Next" },
    footer: { message: "MIT License", copyright: "The Tenon authors" },
  },
  buildEnd: ({ pages, outDir }) => writeTexts({ pages, docs, outDir, root }),
});
