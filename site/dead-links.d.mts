/** How many pages and links the site in a folder has, and what is wrong with which. */
export function deadLinks(site: string): {
  readonly pages: readonly string[];
  readonly links: number;
  readonly complaints: readonly string[];
};
