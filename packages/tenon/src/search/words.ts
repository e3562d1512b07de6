/** The words of a text as the search compares them: split at `_`, `-`, `.` and capitals, without endings, without words that every text has. */
import { stemmer } from "stemmer";

const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a about all am an and any are as at be been but by can could did do does for from get give had has have how i if in into is it its just let " +
    "like me my need of on or our out please shall she should show so some such tell than that the their them then there these they this those to " +
    "up us use used using want was we were what when where which who will with would you your"
  ).split(" "),
);

/** What people say, and what the names of tools say. */
export const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    pr: ["pull", "request"],
    repo: ["repository"],
    folder: ["directory"],
    directory: ["folder"],
    dir: ["directory"],
    picture: ["screenshot", "image"],
    db: ["database"],
    k8s: ["kubernetes"],
    mail: ["email"],
    remove: ["delete"],
    erase: ["delete"],
    add: ["create", "insert"],
    make: ["create"],
    change: ["update", "edit"],
    modify: ["update", "edit"],
    rename: ["move"],
    look: ["find", "search"],
    fetch: ["get", "read"],
    run: ["execute"],
    start: ["run", "launch"],
    stop: ["kill", "terminate"],
    webpage: ["page"],
    website: ["page", "site"],
    url: ["page", "navigate"],
  }),
);

const PARTS = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{Lo}+|\p{N}+/gu;

export function splitWords(text: string): string[] {
  return (text.match(PARTS) ?? []).map((word) => word.toLowerCase());
}

/** The form of a word that is compared; undefined if it has no meaning of its own. */
export function toTerm(word: string): string | undefined {
  return STOP_WORDS.has(word) ? undefined : stemmer(word);
}
