/**
 * The guide at `/docs/guide/`: README.md and the pages of `docs/`, which come with the program, as HTML. A page is
 * rendered when it is first requested, and then cached.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Marked, type RendererObject, type Tokens } from 'marked';
import { escapeHtml, makePage, type Page } from './frame.ts';

export interface GuideSection {
  readonly page: string;
  readonly anchor: string;
  readonly title: string;
  readonly text: string;
}

export interface Guide {
  /** Undefined if there is no such page. */
  page(name: string): Promise<Page | undefined>;
  /** All sections, for the search on the page. */
  sections(): Promise<GuideSection[]>;
  /** `name`: a file of `docs/`. It must never come from a request. */
  picture(name: string): Promise<Uint8Array>;
}

interface Source {
  readonly title: string;
  readonly markdown: string;
}

/** The page that the address without a name shows. */
export const FIRST_PAGE = 'start';
/** The generated page that says which test covers which field. Not searched, because it would fill the results. */
const NOT_SEARCHED = 'interface-tests';

const STYLE = `
main { display: grid; grid-template-columns: 15rem minmax(0, 1fr); gap: 2rem; }
main > nav { position: sticky; top: 1rem; align-self: start; max-height: calc(100vh - 2rem); overflow: auto; }
main > nav a { display: block; padding: .1rem 0; } main > nav a[aria-current] { font-weight: 700; }
input[type=search] { width: 100%; font: inherit; padding: .4rem .6rem; color: inherit; background: var(--card);
  border: 1px solid var(--line); border-radius: .35rem; margin-bottom: .75rem; }
article { min-width: 0; overflow-wrap: anywhere; max-width: 54rem; }
article h1 { margin-top: 0; font-size: 1.6rem; }
article h2 { margin-top: 2rem; border-bottom: 1px solid var(--line); }
article pre { padding: .75rem 1rem; overflow-x: auto; background: var(--card); border: 1px solid var(--line);
  border-radius: .35rem; overflow-wrap: normal; }
article table { display: block; overflow-x: auto; overflow-wrap: normal; }
article img { max-width: 100%; height: auto; }
article blockquote { margin: 0; padding-left: 1rem; border-left: 3px solid var(--line); }
#found { margin: 0 0 1rem; padding: 0; list-style: none; } #found li { margin: .5rem 0; }
#found p { margin: 0; } mark { color: inherit; background: light-dark(#ffe9a8, #5c4a10); }
details.pages > summary { display: none; }
@media (max-width: 50rem) {
  main { grid-template-columns: minmax(0, 1fr); gap: 1rem; padding: 1rem; }
  main > nav { position: static; max-height: none; }
  details.pages > summary { display: list-item; cursor: pointer; } }
`;

/** Finds all words of the input in titles and texts; texts of the guide reach the page as text only. */
const SCRIPT = `
'use strict';
const input = document.getElementById('search');
const found = document.getElementById('found');
const pages = document.querySelector('details.pages');
if (matchMedia('(max-width: 50rem)').matches) pages.open = false;
let sections;
function marked(text, words) {
  const parts = [];
  const pattern = new RegExp('(' + words.map((word) => word.replace(/[^\\w]/g, '\\\\$&')).join('|') + ')', 'gi');
  text.split(pattern).forEach((part, index) => {
    if (index % 2 === 0) { parts.push(part); return; }
    const mark = document.createElement('mark');
    mark.textContent = part;
    parts.push(mark);
  });
  return parts;
}
function around(text, words) {
  const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - 60);
  return (at > 0 ? '…' : '') + text.slice(at, at + 180) + (text.length > at + 180 ? '…' : '');
}
function show(words) {
  const hits = [];
  for (const section of sections) {
    const title = section.title.toLowerCase();
    const text = section.text.toLowerCase();
    let score = 0;
    const isHit = words.every((word) => {
      const inTitle = title.includes(word);
      score += inTitle ? 10 : 0;
      const count = text.split(word).length - 1;
      score += Math.min(count, 5);
      return inTitle || count > 0;
    });
    if (isHit) hits.push([score, section]);
  }
  hits.sort(([one], [other]) => other - one);
  const items = hits.slice(0, 20).map(([, { page, anchor, title, text }]) => {
    const link = document.createElement('a');
    link.href = '/docs/guide/' + page + '/' + (anchor === '' ? '' : '#' + anchor);
    link.append(...marked(title, words));
    const words_ = document.createElement('p');
    words_.className = 'soft';
    words_.append(...marked(around(text, words), words));
    const item = document.createElement('li');
    item.append(link, words_);
    return item;
  });
  const nothing = document.createElement('li');
  nothing.textContent = 'nothing found';
  found.replaceChildren(...(items.length === 0 ? [nothing] : items));
}
input.addEventListener('input', async () => {
  const words = input.value.toLowerCase().split(/\\s+/).filter((word) => word.length > 1);
  if (words.length === 0) { found.replaceChildren(); return; }
  try {
    sections ??= await (await fetch('/docs/guide/search.json')).json();
    show(words);
  } catch (error) { found.textContent = 'search is not available: ' + error.message; }
});
`;

/** The folder of the program, as seen from a built file in `dist` and from this file in `src`. */
const ROOTS = [join(import.meta.dirname, '..'), join(import.meta.dirname, '../../..')];

export function createGuide(): Guide {
  const root = ROOTS.find((path) => existsSync(join(path, 'docs/interface.md'))) ?? '.';
  const docs = join(root, 'docs');
  let sources: Promise<ReadonlyMap<string, Source>> | undefined;
  let sections: GuideSection[] | undefined;
  const pages = new Map<string, Page>();
  const allSources = () => {
    sources ??= readSources(root, docs);
    // After a failure the next request reads the folder again.
    sources.catch(() => {
      sources = undefined;
    });
    return sources;
  };
  return {
    async page(name) {
      const all = await allSources();
      const source = all.get(name);
      if (source === undefined) return undefined;
      let page = pages.get(name);
      if (page === undefined) {
        page = await guidePage(name, source, all);
        pages.set(name, page);
      }
      return page;
    },
    async sections() {
      if (sections !== undefined) return sections;
      const found: GuideSection[] = [];
      for (const [name, source] of await allSources()) {
        if (name === NOT_SEARCHED) continue;
        found.push(...sectionsOf(name, source));
        // Other work gets the event loop between two pages.
        await setImmediate();
      }
      sections = found;
      return found;
    },
    picture: (name) => readFile(join(docs, name)),
  };
}

async function readSources(root: string, docs: string): Promise<ReadonlyMap<string, Source>> {
  const names = (await readdir(docs)).filter((name) => name.endsWith('.md')).sort();
  const paths: (readonly [string, string])[] = [
    [FIRST_PAGE, join(root, 'README.md')],
    ...names.map((name) => [name.slice(0, -'.md'.length), join(docs, name)] as const),
  ];
  const all = await Promise.all(
    paths.map(async ([name, path]) => {
      const markdown = await readFile(path, 'utf8');
      return [
        name,
        { markdown, title: /^# (.+)$/m.exec(markdown)?.[1]?.replaceAll('`', '') ?? name },
      ] as const;
    }),
  );
  return new Map(all);
}

async function guidePage(
  name: string,
  { title, markdown }: Source,
  all: ReadonlyMap<string, Source>,
): Promise<Page> {
  const links = [...all].map(([other, { title: text }]) => {
    const current = other === name ? ' aria-current="page"' : '';
    return `<a href="${addressOf(other)}"${current}>${escapeHtml(text)}</a>`;
  });
  const body = `
<header><h1>Millrace</h1><span class="soft">guide</span>
<a href="/">Console</a><a href="/docs/">Interface</a></header>
<main><nav aria-label="Pages"><input type="search" id="search" placeholder="Search the guide"
  aria-label="Search the guide" autocomplete="off"><ul id="found" aria-live="polite"></ul>
<details class="pages" open><summary>Pages</summary>${links.join('')}</details></nav>
<article>${await render(markdown, all)}</article></main>`;
  return makePage({ title: `Millrace: ${title}`, body, style: STYLE, script: SCRIPT, hasPictures: true });
}

function addressOf(name: string): string {
  return name === FIRST_PAGE ? '/docs/guide/' : `/docs/guide/${name}/`;
}

/** The address of a link on a page of the guide; undefined if it leads to a file that the service does not serve. */
function target(href: string, all: ReadonlyMap<string, Source>): string | undefined {
  if (/^https?:\/\//.test(href) || href.startsWith('#')) return href;
  const [path = '', anchor] = href.split('#');
  const name = path === '../README.md' ? FIRST_PAGE : /^(?:docs\/)?([a-z0-9-]+)\.md$/.exec(path)?.[1];
  if (name !== undefined && all.has(name))
    return addressOf(name) + (anchor === undefined ? '' : `#${anchor}`);
  return undefined;
}

async function render(markdown: string, all: ReadonlyMap<string, Source>): Promise<string> {
  const taken = new Map<string, number>();
  const renderer: RendererObject = {
    html: ({ text }) => escapeHtml(text),
    heading({ tokens, depth, text }) {
      const id = escapeHtml(anchorOf(text, taken));
      return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      const inside = this.parser.parseInline(tokens);
      const address = target(href, all);
      return address === undefined ? inside : `<a href="${escapeHtml(address)}">${inside}</a>`;
    },
    image({ href, text }) {
      const name = /^(?:docs\/)?([a-z0-9-]+\.(?:svg|png))$/.exec(href)?.[1];
      return name === undefined
        ? escapeHtml(text)
        : `<img src="/docs/guide/${escapeHtml(name)}" alt="${escapeHtml(text)}">`;
    },
  };
  const marked = new Marked({ renderer, async: false });
  let html = '';
  for (const part of partsOf(markdown)) {
    html += marked.parse(part) as string;
    // Other work gets the event loop between two parts.
    await setImmediate();
  }
  return html;
}

/** A page cut before its headings of the second level. */
function* partsOf(markdown: string): Generator<string> {
  let part = '';
  let isCode = false;
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode;
    if (!isCode && line.startsWith('## ')) {
      yield part;
      part = '';
    }
    part += `${line}\n`;
  }
  yield part;
}

/** The name of a heading in links, as GitHub makes it. */
function anchorOf(heading: string, taken: Map<string, number>): string {
  const slug = plain(heading)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
  const count = taken.get(slug) ?? 0;
  taken.set(slug, count + 1);
  return count === 0 ? slug : `${slug}-${count}`;
}

/** Markdown without its marks, as text. */
function plain(markdown: string): string {
  return markdown
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*|]|-{3,}|^#+ /gm, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function sectionsOf(page: string, { markdown, title }: Source): GuideSection[] {
  const taken = new Map<string, number>();
  const sections: { anchor: string; title: string; text: string }[] = [];
  for (const token of new Marked().lexer(markdown)) {
    if (token.type === 'heading') {
      const { text, depth } = token as Tokens.Heading;
      const anchor = anchorOf(text, taken);
      sections.push({ anchor, title: depth === 1 ? title : `${title}: ${plain(text)}`, text: '' });
    } else {
      const section = sections.at(-1);
      if (section !== undefined) section.text += ` ${plain(token.raw)}`;
    }
  }
  const name = page === FIRST_PAGE ? '' : page;
  return sections.map((section) => ({ page: name, ...section }));
}
