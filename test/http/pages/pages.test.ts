/** The pages: self-contained, safe from what they show, and complete. */
import { createHash } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import t from 'tap';
import type { CompatDeps } from '../../../src/http/compat/compat-routes.ts';
import { openApi } from '../../../src/http/openapi.ts';
import { docsPage } from '../../../src/http/pages/docs.ts';
import { escapeHtml } from '../../../src/http/pages/frame.ts';
import { defineRoute, reply } from '../../../src/http/route.ts';
import { NO_BODY, named, orNull } from '../../../src/http/schema.ts';
import { serviceRoutes } from '../../../src/http/service.ts';
import { makeCaller } from '../../support/http.ts';

const routes = serviceRoutes('1.2.3');
const { get } = makeCaller(routes, { version: { version: '1.2.3' } } as CompatDeps);

for (const path of ['/', '/login/', '/docs/']) {
  t.test(
    `pages: ${path} loads nothing from elsewhere, and its policy allows just its own parts`,
    async (t) => {
      const { status, headers, text } = await get(path);
      t.equal(status, 200);
      t.equal(headers.get('content-type'), 'text/html; charset=utf-8');
      t.notMatch(text, /(src|href)="(https?:)?\/\//);
      t.notMatch(text, /url\(|@import| style="| on\w+="/, 'nothing that the policy would block');
      const policy = headers.get('content-security-policy') ?? '';
      t.match(policy, /default-src 'none'.*frame-ancestors 'none'/);
      for (const [, tag, content = ''] of text.matchAll(/<(style|script)>([\s\S]*?)<\/\1>/g)) {
        const hash = createHash('sha256').update(content).digest('base64');
        t.ok(policy.includes(`${tag}-src 'sha256-${hash}'`), `the policy allows the ${tag}`);
      }
    },
  );
}

t.test(
  'pages: the script of / is sound JavaScript and asks only for what exists or is told to be absent',
  async (t) => {
    const { text } = await get('/');
    const [, script = ''] = /<script>([\s\S]*)<\/script>/.exec(text) ?? [];
    t.doesNotThrow(() => new Function(script));
    t.notMatch(script, /innerHTML|insertAdjacentHTML|document\.write|eval/, 'texts stay texts');
  },
);

t.test('pages: /docs/ shows every operation and links every schema that it names', async (t) => {
  const { text } = await get('/docs/');
  for (const { path, summary } of routes.filter((route) => route.path.startsWith('/v6/'))) {
    t.ok(text.includes(`<code>${escapeHtml(path)}</code>`), path);
    t.ok(text.includes(escapeHtml(summary)), summary);
  }
  for (const [, target = ''] of text.matchAll(/href="#([^"]+)"/g))
    t.ok(text.includes(`id="${target}"`), target);
});

t.test('pages: what a document says cannot become markup', async (t) => {
  const evil = '<script>alert(1)</script>"\'&';
  const route = defineRoute({
    method: 'POST',
    path: '/v6/evil/',
    summary: evil,
    description: evil,
    body: named('Evil', Type.Object({ [evil]: orNull(Type.String({ description: evil, maxLength: 3 })) })),
    replies: { 204: NO_BODY },
    handle: () => reply(204),
  });
  const { html } = docsPage(openApi([route], '1.0.0'));
  t.notMatch(html, /<script/);
  t.ok(html.includes('&#60;script&#62;'));
});
