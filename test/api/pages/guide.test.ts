/** The guide: all pages of `docs/`, with links that lead somewhere, and nothing of theirs that becomes markup. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { Marked } from 'marked';
import t from 'tap';
import type { ApiParts } from '../../../src/api/parts.ts';
import { serviceRoutes } from '../../../src/api/service.ts';
import { makeCaller } from '../../support/http.ts';

const ROOT = join(import.meta.dirname, '../../..');
const { get } = makeCaller(serviceRoutes('1.2.3'), {} as ApiParts);
const NAMES = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
const PAGES = ['/docs/guide/', ...NAMES.map((name) => `/docs/guide/${name.slice(0, -3)}/`)];

const sources = ['README.md', ...NAMES.map((name) => `docs/${name}`)].map((path) =>
  readFileSync(join(ROOT, path), 'utf8'),
);
const texts = new Map<string, string>();
for (const page of PAGES) texts.set(page, (await get(page)).text);

t.test('guide: every page of docs/ and README.md is served, with a policy for its own script', async (t) => {
  for (const page of PAGES) {
    const { status, headers, text } = await get(page);
    t.equal(status, 200, page);
    t.match(headers.get('content-security-policy'), /default-src 'none'.*script-src 'sha256-/);
    t.notMatch(text, / style="| on\w+="/, 'nothing that the policy would block');
    for (const other of PAGES) t.ok(text.includes(`href="${other}"`), `${page} leads to ${other}`);
  }
  t.equal((await get('/docs/guide/nothing/')).status, 404);
  t.equal((await get('/docs/guide/..%2FREADME/')).status, 404);
});

t.test('guide: links and pictures of a page lead to existing targets', async (t) => {
  let linkCount = 0;
  let pictureCount = 0;
  for (const [page, text] of texts) {
    const article = text.slice(text.indexOf('<article>'));
    for (const [, href = ''] of article.matchAll(/href="([^"]+)"/g)) {
      if (/^https?:/.test(href)) continue;
      linkCount += 1;
      const [path = '', anchor] = href.split('#');
      const target = texts.get(path === '' ? page : path);
      t.ok(target !== undefined, `${page}: ${href}`);
      if (anchor !== undefined) t.ok(target?.includes(` id="${anchor}"`), `${page}: ${href}`);
    }
    for (const [, src = ''] of text.matchAll(/<img src="([^"]+)"/g)) {
      pictureCount += 1;
      const { status, headers, text: picture } = await get(src);
      const mediaType = src.endsWith('.png') ? 'image/png' : 'image/svg+xml';
      t.strictSame([status, headers.get('content-type')], [200, mediaType], src);
      t.match(picture, mediaType === 'image/png' ? /^.PNG/u : /^<svg/);
    }
  }
  const named = sources.join('').match(/!\[[^\]]*\]\(/g)?.length;
  t.equal(pictureCount, named, 'every picture of the sources is shown');
  t.ok(linkCount > 100, `${linkCount} links`);
});

t.test('guide: links to sources lead to files of the repository', async (t) => {
  const marked = new Marked();
  for (const source of ['README.md', ...NAMES.map((name) => `docs/${name}`)]) {
    const tokens = marked.lexer(readFileSync(join(ROOT, source), 'utf8'));
    marked.walkTokens(tokens, (token) => {
      if ((token.type !== 'link' && token.type !== 'image') || /^(https?:|#)/.test(token.href)) return;
      const path = normalize(join(source, '..', token.href.replace(/#.*/, '')));
      t.ok(existsSync(join(ROOT, path)), `${source}: ${token.href}`);
    });
  }
});

t.test('guide: the search knows sections by their anchors', async (t) => {
  const { json } = await get('/docs/guide/search.json');
  t.ok(json.length > 100, `${json.length} sections`);
  for (const { page, anchor } of json) {
    const target = texts.get(page === '' ? '/docs/guide/' : `/docs/guide/${page}/`);
    t.ok(target?.includes(` id="${anchor}"`), `${page}#${anchor}`);
  }
});
