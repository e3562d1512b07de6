/**
 * The content of a result: text, images, audio, resources and links.
 *
 * Security: the kind of a picture or sound comes from its first bytes, not from what the server says. Nothing is loaded from an
 * address; a link is shown whole, and opens after a click, if it is http, https or mailto.
 */
import type { VNode } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { isObject, sizeText, visible, type Json } from "../data/json.ts";
import { go } from "../data/route.ts";
import { Address } from "./address.tsx";
import { JsonView } from "./json-view.tsx";
import { Markdown, markdownOf } from "./markdown.tsx";

export function Content({ block }: { block: unknown }): VNode {
  if (!isObject(block)) return <JsonView value={block} />;
  const { type, text, data, resource } = block;
  if (type === "text") return <FormattedText text={text} />;
  if (type === "image" || type === "audio") return <Media data={data} declared={block["mimeType"]} />;
  if (type === "resource" && isObject(resource)) return <ResourceContent content={resource} />;
  if (type === "resource_link") return <ResourceLink link={block} />;
  return <JsonView value={block} />;
}

/** Text as it is, without what is invisible. */
export function Text({ text }: { text: unknown }): VNode {
  return <pre class="text">{visible(text)}</pre>;
}

/** Markdown as formatted text, with a button that shows it as it was sent; other text as it is. */
function FormattedText({ text }: { text: unknown }): VNode {
  const [isPlain, setPlain] = useState(false);
  const tokens = useMemo(() => markdownOf(visible(text)), [text]);
  if (tokens === undefined) return <Text text={text} />;
  return (
    <div>
      <button type="button" class="small" aria-pressed={isPlain} onClick={() => setPlain(!isPlain)}>
        as sent
      </button>
      {isPlain ? <Text text={text} /> : <Markdown tokens={tokens} />}
    </div>
  );
}

export function ResourceContent({ content }: { content: Json }): VNode {
  const { uri, mimeType, text, blob } = content;
  return (
    <figure class="card">
      <figcaption>
        <code>{visible(uri)}</code> {mimeType === undefined ? null : <span class="type">{visible(mimeType)}</span>}
      </figcaption>
      {blob !== undefined ? (
        <Media data={blob} declared={mimeType} />
      ) : mimeType === "text/markdown" ? (
        <FormattedText text={text ?? ""} />
      ) : (
        <Text text={text ?? ""} />
      )}
    </figure>
  );
}

function ResourceLink({ link: { uri, name, description } }: { link: Json }): VNode {
  return (
    <div class="card">
      <b>{visible(name ?? "")}</b> <Address uri={String(uri)} />
      {description === undefined ? null : <p class="about">{visible(description)}</p>}
      <button type="button" class="small" onClick={() => go({ view: "resources", item: String(uri) })}>
        show among the resources
      </button>
    </div>
  );
}

function Media({ data, declared }: { data: unknown; declared: unknown }): VNode {
  const [url, setUrl] = useState<string>();
  const bytes = bytesOf(data);
  const type = bytes && mediaType(bytes);
  useEffect(() => {
    if (bytes === undefined) return undefined;
    const made = URL.createObjectURL(new Blob([bytes], { type: type ?? "application/octet-stream" }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [data]);
  if (bytes === undefined) return <p class="wrong">✗ The data is not base64.</p>;
  const about = `${type ?? "unknown kind"}, ${sizeText(bytes.length)}${type === declared ? "" : `, declared as ${visible(declared ?? "nothing")}`}`;
  return (
    <figure class="card">
      {url !== undefined && type?.startsWith("image/") === true ? <img src={url} alt="A picture that the server sent" /> : null}
      {url !== undefined && type?.startsWith("audio/") === true ? (
        <audio src={url} controls aria-label="A sound that the server sent" />
      ) : null}
      <figcaption>
        {about}{" "}
        {url === undefined ? null : (
          <a href={url} download={`content.${type?.split("/")[1]?.replace(/\W.*/, "") ?? "bin"}`}>
            save
          </a>
        )}
      </figcaption>
    </figure>
  );
}

/** The bytes of base64; undefined if the text is not base64. */
function bytesOf(data: unknown): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(String(data)), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

// oxlint-disable no-control-regex -- it has to match bytes
const SIGNS: readonly (readonly [type: string, sign: RegExp])[] = [
  ["image/png", /^\u0089PNG\r\n\u001A\n/],
  ["image/jpeg", /^\u00FF\u00D8\u00FF/],
  ["image/gif", /^GIF8[79]a/],
  ["image/webp", /^RIFF[\s\S]{4}WEBP/],
  ["image/svg+xml", /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)?<svg[\s>]/],
  ["audio/wav", /^RIFF[\s\S]{4}WAVE/],
  ["audio/mpeg", /^(?:ID3|\u00FF[\u00FB\u00F3\u00F2])/],
  ["audio/ogg", /^OggS/],
  ["audio/flac", /^fLaC/],
];

/** The media type of a picture or a sound; undefined for anything else. A browser runs no script in a picture. */
function mediaType(bytes: Uint8Array): string | undefined {
  const beginning = String.fromCharCode(...bytes.subarray(0, 512));
  return SIGNS.find(([, sign]) => sign.test(beginning))?.[0];
}
