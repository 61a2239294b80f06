/** The page that loads the console, and the policy that it and its scripts run under. */
import { escapeHtml, makePage } from '../pages/frame.ts';
import type { ConsoleManifest } from './files.ts';

export const ASSETS = '/console/assets/';

/**
 * The content security policy. Styles that components insert carry the page's nonce; scripts and workers are files of
 * this service. `nonce` undefined: for a file.
 */
export function policyOf(nonce?: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    nonce === undefined ? "style-src 'self'" : `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The icon, as a data URL so that it needs no request. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' " +
  "rx='4' fill='%230b6e8f'/%3E%3Cpath d='M3 11V5l5 4 5-4v6' fill='none' stroke='white' stroke-width='2'/%3E%3C/svg%3E";

export interface ConsolePage {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** `nonce` is fresh for each page that is sent. */
export function consolePage(
  { script, style, live, layout, parts }: ConsoleManifest,
  nonce: string,
): ConsolePage {
  const at = (name: string) => escapeHtml(`${ASSETS}${name}`);
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="live-worker" content="${at(live)}" nonce="${nonce}">
<meta name="layout-worker" content="${at(layout)}">
<title>Millrace</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${at(style)}">
${parts.map((name) => `<link rel="modulepreload" href="${at(name)}">`).join('\n')}
<script type="module" src="${at(script)}"></script>
</head>
<body>
<div id="root"><p class="starting">The console is loading. If this stays, load the page again.</p></div>
<noscript>The console needs JavaScript. Without it: <a href="/docs/guide/">the guide</a>,
<a href="/docs/">the interface</a>.
</noscript>
</body>
</html>
`;
  return { html, headers: { 'content-security-policy': policyOf(nonce), 'referrer-policy': 'same-origin' } };
}

const NOT_BUILT = `
<header><h1>Millrace</h1><nav><a href="/docs/guide/">Guide</a> <a href="/docs/">Interface</a>
<a href="/login/">Account</a></nav></header>
<main>
<h2>The console is not built</h2>
<p>The service runs. Its console is built from packages that this installation left out
(<code>npm ci --omit=dev</code>).
In the folder of the installation, run</p>
<pre>npm ci &amp;&amp; npm run build</pre>
<p>and load this page again; the service need not be restarted. An installation from the package of
<code>npm pack</code>, and the container image, have the console built already.</p>
</main>`;

export const notBuiltPage: ConsolePage = makePage({
  title: 'Millrace: the console is not built',
  body: NOT_BUILT,
  style: 'h2 { margin-top: 0; }',
});
