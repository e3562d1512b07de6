/**
 * The content of a result: text, images, audio, resources and links.
 *
 * Security: the kind of a picture or sound comes from its first bytes, not from what the server says. Nothing is loaded from an
 * address; a link is shown whole, and opens after a click, if it is http, https or mailto.
 */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { isObject, sizeText, visible, type Json } from "../data/json.ts";
import { go } from "../data/route.ts";
import { JsonView } from "./json-view.tsx";
import { bytesOf, mediaType } from "./media.ts";

export function Content({ block }: { block: unknown }): VNode {
  if (!isObject(block)) return <JsonView value={block} />;
  const { type, text, data, resource } = block;
  if (type === "text") return <Text text={text} />;
  if (type === "image" || type === "audio") return <Media data={data} declared={block["mimeType"]} />;
  if (type === "resource" && isObject(resource)) return <ResourceContent content={resource} />;
  if (type === "resource_link") return <ResourceLink link={block} />;
  return <JsonView value={block} />;
}

export function Text({ text }: { text: unknown }): VNode {
  const shown = visible(text);
  return <pre class="text">{shown}</pre>;
}

/** The content of a resource: its text, or its bytes. */
export function ResourceContent({ content }: { content: Json }): VNode {
  const { uri, mimeType, text, blob } = content;
  return (
    <figure class="card">
      <figcaption>
        <code>{visible(uri)}</code> {mimeType === undefined ? null : <span class="type">{visible(mimeType)}</span>}
      </figcaption>
      {blob === undefined ? <Text text={text ?? ""} /> : <Media data={blob} declared={mimeType} />}
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

/** An address as it is; a link only if its scheme cannot run anything. */
export function Address({ uri }: { uri: string }): VNode {
  const href = safeAddress(uri);
  if (href === undefined) return <code>{visible(uri)}</code>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {visible(href)}
    </a>
  );
}

/** The address with its host in ASCII, if it is http, https or mailto; else undefined. */
export function safeAddress(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  return protocol === "https:" || protocol === "http:" || protocol === "mailto:" ? href : undefined;
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
