/** Finds the end of a string in JSON text, for scans that look at what is outside strings. Time is linear in the text. */

/** Where the string that began just before `start` has its closing quote; the end of the text if it has none. */
export function endOfString(text: string, start: number): number {
  let from = start;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return text.length;
    if (text.charCodeAt(quote - 1) !== 0x5c) return quote;
    // Each run of backslashes is counted once, for the one quote that follows it, so this stays linear.
    let run = quote;
    while (run > from && text.charCodeAt(run - 1) === 0x5c) run--;
    if ((quote - run) % 2 === 0) return quote;
    from = quote + 1;
  }
}
