// The anchor of a heading, as GitHub makes it: lower case, without punctuation, a dash for each space.
export function toAnchor(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, "")
    .replace(/\s/g, "-");
}
