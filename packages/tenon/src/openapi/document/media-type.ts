/** Media types, as documents and responses name them. */

/** `application/json` of `Application/JSON; charset=utf-8`. */
export function essenceOf(mediaType: string): string {
  return mediaType.split(";", 1)[0]!.trim().toLowerCase();
}

export function isJsonType(mediaType: string): boolean {
  const essence = essenceOf(mediaType);
  return essence === "application/json" || essence === "text/json" || essence.endsWith("+json");
}

export function isTextType(mediaType: string): boolean {
  const essence = essenceOf(mediaType);
  return essence.startsWith("text/") || /[/+](xml|yaml|x-yaml|javascript|jsonl|x-ndjson|x-www-form-urlencoded|graphql)$/.test(essence);
}
