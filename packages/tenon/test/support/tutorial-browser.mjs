#!/usr/bin/env node
// The browser of a reader who agrees to everything: it follows each page to where it leads.
await fetch(process.argv.at(-1));
