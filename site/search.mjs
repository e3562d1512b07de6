// How the site's search ranks what it finds: guides before the reference, which has each name many times, and before the pages about
// the project, and the beginning of a guide before its sections. VitePress gives these options to MiniSearch; a function is sent to the page as its source, so it uses nothing around it.
export const searchOptions = {
  prefix: true,
  fuzzy: 0.2,
  boost: { title: 6, titles: 3, text: 1 },
  boostDocument: (id, _term, { titles }) => {
    if (id.startsWith("/reference/")) return 0.02;
    if (id.startsWith("/internals/") || id.startsWith("/project/")) return 0.2;
    const start = titles.length === 0 ? 4 : 1; // the beginning of a page, before its sections
    return id.startsWith("/moving/") ? start / 2 : start;
  },
};
