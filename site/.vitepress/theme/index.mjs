// VitePress's default theme in Tenon's colours, with a button on each page that copies it for a coding agent, and buttons that
// add the documentation to a host.
import { h } from "vue";
import DefaultTheme from "vitepress/theme";
import { AddDocs } from "./add-docs.mjs";
import { CopyPrompt } from "./copy-prompt.mjs";
import "./style.css";
import "./home.css";

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, undefined, { "doc-before": () => h(CopyPrompt) }),
  enhanceApp: ({ app }) => app.component("AddDocs", AddDocs),
};
