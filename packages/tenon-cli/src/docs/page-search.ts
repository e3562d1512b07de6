/** Finds the sections of pages that a question is about: words of headings count more than words of the text, guides more than lists. */
import MiniSearch from "minisearch";
import type { DocPage } from "./pages.ts";

export interface FoundSection {
  readonly path: string;
  readonly title: string;
  /** The heading of the section; the title of the page for its beginning. */
  readonly heading: string;
  readonly excerpt: string;
}

interface Section extends FoundSection {
  readonly id: number;
  readonly text: string;
  /** The description of the page, for its first section. */
  readonly description: string;
}

/** Characters of an excerpt. */
const EXCERPT = 400;
/** Pages that list what others explain come after the guides. */
const OF_LISTS = /^(project|moving)\/|^tools\/troubleshooting/;

export class PageSearch {
  readonly #index: MiniSearch<Section>;

  constructor(pages: readonly DocPage[]) {
    this.#index = new MiniSearch<Section>({
      fields: ["title", "description", "heading", "text"],
      storeFields: ["path", "title", "heading", "excerpt"],
      searchOptions: {
        boost: { title: 6, description: 5, heading: 4 },
        prefix: (term) => term.length > 3,
        fuzzy: (term) => (term.length > 5 ? 0.15 : false),
      },
    });
    let id = 0;
    for (const page of pages) for (const section of sectionsOf(page)) this.#index.add({ ...section, id: id++ });
  }

  /** The best sections first, one or two of a page. */
  find(question: string, limit: number): FoundSection[] {
    const found = this.#index.search(question, {
      boostDocument: (_id, _term, stored) => (OF_LISTS.test(String(stored?.["path"])) ? 0.4 : 1),
    });
    const taken = new Map<string, number>();
    const best: FoundSection[] = [];
    for (const { path, title, heading, excerpt } of found as unknown as FoundSection[] /* `storeFields` above */) {
      const count = taken.get(path) ?? 0;
      if (count === 2) continue;
      taken.set(path, count + 1);
      best.push({ path, title, heading, excerpt });
      if (best.length === limit) break;
    }
    return best;
  }
}

/** The sections of a page, cut at its headings of the second level outside of code. */
function sectionsOf({ path, title, description, text }: DocPage): Omit<Section, "id">[] {
  const sections: { heading: string; lines: string[] }[] = [{ heading: title, lines: [] }];
  let isCode = false;
  for (const line of text.split("\n")) {
    if (line.startsWith("```")) isCode = !isCode;
    const heading = isCode ? undefined : /^## (.+)$/.exec(line)?.[1];
    if (heading !== undefined) sections.push({ heading, lines: [] });
    else if (!line.startsWith("# ")) sections.at(-1)!.lines.push(line); // there is always the first
  }
  return sections.map(({ heading, lines }, at) => {
    const whole = lines.join("\n").trim();
    return {
      path,
      title,
      heading,
      text: whole,
      description: at === 0 ? description : "",
      excerpt: whole.length > EXCERPT ? `${whole.slice(0, EXCERPT)} …` : whole,
    };
  });
}
