/** The icons of the views, drawn in lines of the text's colour. They stand beside words, so readers of the screen do not hear them. */
import type { VNode } from "preact";
import type { View } from "../data/route.ts";

const LINES: Readonly<Record<View, string>> = {
  overview: "M2.5 2.5h4.5v4.5h-4.5zM9 2.5h4.5v4.5h-4.5zM2.5 9h4.5v4.5h-4.5zM9 9h4.5v4.5h-4.5z",
  tools: "M13.2 5.2a3.4 3.4 0 0 1-4.6 3.9L4.7 13a1.2 1.2 0 0 1-1.7-1.7l3.9-3.9a3.4 3.4 0 0 1 3.9-4.6L8.9 4.7l.3 2.1 2.1.3z",
  resources: "M3.5 1.8h5.8l3.2 3.2v9.2h-9zM9.3 1.8v3.2h3.2M5.8 8.2h4.4M5.8 10.8h4.4",
  prompts: "M2 3h12v7.5h-6l-3.2 2.8v-2.8h-2.8z",
  wire: "M2 5.3h11M10.5 2.8l2.5 2.5-2.5 2.5M14 10.7h-11M5.5 8.2l-2.5 2.5 2.5 2.5",
  asked: "M8 1.8a6.2 6.2 0 1 0 0 12.4a6.2 6.2 0 0 0 0-12.4zM6.1 6.2a1.9 1.9 0 1 1 2.8 1.7c-.6.3-.9.7-.9 1.4M8 11.3v.1",
  activity: "M1.5 8h3l2-4.8 3 9.6 2-4.8h3",
  access: "M3.8 7.2h8.4v6.3h-8.4zM5.4 7.2v-1.8a2.6 2.6 0 0 1 5.2 0v1.8M8 9.6v1.6",
  recording: "M8 1.8a6.2 6.2 0 1 0 0 12.4a6.2 6.2 0 0 0 0-12.4zM8 5.6a2.4 2.4 0 1 0 0 4.8a2.4 2.4 0 0 0 0-4.8z",
};

export function Icon({ of }: { of: View }): VNode {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={LINES[of]} />
    </svg>
  );
}
