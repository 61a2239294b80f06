/**
 * Shared by the HTML pages: escaping, the frame of a page, and a content security policy that allows exactly the page's
 * own style and script, by their hashes. Pages load nothing from other servers.
 */
import { createHash } from 'node:crypto';

/** The text, escaped for HTML content and for quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export interface Page {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface PageParts {
  readonly title: string;
  /** HTML, its texts escaped. */
  readonly body: string;
  readonly style: string;
  readonly script?: string;
  /** Whether the page shows pictures that the service serves. */
  readonly hasPictures?: boolean;
}

const STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1d2529, #dfe6e9); --soft: light-dark(#5b686e, #93a1a8);
  --ground: light-dark(#f5f7f7, #14191b); --card: light-dark(#fff, #1c2326);
  --line: light-dark(#dde3e5, #2d373b);
  --accent: light-dark(#0b6e8f, #5bb8d6); --good: light-dark(#1a7f4b, #58c98f);
  --bad: light-dark(#b3372f, #f0837b);
  --warn: light-dark(#96640a, #e2b25a); }
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); }
header { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; align-items: baseline; padding: 1rem 1.5rem;
  background: var(--card); border-bottom: 1px solid var(--line); }
header h1 { margin: 0; font-size: 1.25rem; }
main { max-width: 76rem; margin: 0 auto; padding: 1.5rem; }
a { color: var(--accent); }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .35rem .75rem .35rem 0; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--line); }
th { font-size: .8rem; font-weight: 600; color: var(--soft); }
code, pre { font-family: ui-monospace, monospace; font-size: .9em; }
.soft { color: var(--soft); }
`;

const sourceHash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

export function makePage({ title, body, style, script, hasPictures = false }: PageParts): Page {
  const css = STYLE + style;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${css}</style>
</head>
<body>
${body}
${script === undefined ? '' : `<script>${script}</script>`}
</body>
</html>
`;
  const policy = [
    "default-src 'none'",
    `style-src ${sourceHash(css)}`,
    hasPictures ? "img-src data: 'self'" : 'img-src data:',
    ...(script === undefined ? [] : [`script-src ${sourceHash(script)}`, "connect-src 'self'"]),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    html,
    // Not `no-referrer`: Chromium would then send the page's own forms with the origin `null`, and the service refuses
    // writes from that origin.
    headers: { 'content-security-policy': policy.join('; '), 'referrer-policy': 'same-origin' },
  };
}
