// Fails if a link of the built site leads nowhere.
//   node site/links.mjs <folder of the site>
import { deadLinks } from "./dead-links.mjs";

const { pages, links, complaints } = deadLinks(process.argv[2]);
for (const complaint of complaints.slice(0, 50)) console.error(complaint);
console.log(`${pages.length} pages, ${links} links, ${complaints.length} dead`);
process.exit(complaints.length === 0 ? 0 : 1);
