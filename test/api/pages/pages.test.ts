/** The pages: self-contained, safe from what they show, and complete. */

import { createHash } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import t from 'tap';
import { docsPage } from '../../../src/api/pages/docs.ts';
import { escapeHtml } from '../../../src/api/pages/frame.ts';
import type { ApiParts } from '../../../src/api/parts.ts';
import { serviceRoutes } from '../../../src/api/service.ts';
import { STRIKE } from '../../../src/api/shared/examples.ts';
import { openApi } from '../../../src/http/openapi.ts';
import { defineRoute, reply } from '../../../src/http/route.ts';
import { NO_BODY, named, orNull } from '../../../src/http/schema.ts';
import { makeCaller } from '../../support/http.ts';

const routes = serviceRoutes('1.2.3');
const callerWith = (isSetUp: boolean) =>
  makeCaller(routes, { version: '1.2.3', openId: { isSetUp } } as ApiParts);
const { get } = callerWith(false);

for (const [path, isSetUp] of [
  ['/docs/', false] as const,
  ...[['/login/', false] as const, ['/login/', true] as const],
]) {
  t.test(
    `pages: ${path} loads nothing from elsewhere, and its policy allows just its own parts`,
    async (t) => {
      const { status, headers, text } = await callerWith(isSetUp).get(path);
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

/** Runs the script of `/login/` at an address, as far as a page without anybody in front of it goes. */
async function openIdHrefAt(address: string, isSetUp: boolean): Promise<string | undefined> {
  const { text } = await callerWith(isSetUp).get('/login/');
  const [, script = ''] = /<script>([\s\S]*)<\/script>/.exec(text) ?? [];
  const [, href] = /<a id="openid" href="([^"]+)"/.exec(text) ?? [];
  const link = href === undefined ? undefined : new URL(href, address);
  const at = (id: string) => (id === 'openid' ? link : { addEventListener: () => undefined });
  const fetched = async () => ({ ok: false });
  const run = new Function('document', 'location', 'fetch', script);
  run({ getElementById: at }, new URL(address), fetched);
  return link?.href;
}

t.test('pages: /login/ leads to the OpenID provider where one is set up, and keeps `next`', async (t) => {
  const here = 'http://localhost:8080/login/';
  const start = 'http://localhost:8080/v6/login/openid/';
  t.equal(await openIdHrefAt(`${here}?next=/docs/`, false), undefined);
  for (const [given, kept] of [
    ['', '%2F'],
    ['?next=/docs/%3Fa=1%26b=2%23c', '%2Fdocs%2F%3Fa%3D1%26b%3D2%23c'],
    ['?next=http://localhost:8080/docs/', '%2Fdocs%2F'],
    ...['http://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)'].map(
      (next) => [`?next=${encodeURIComponent(next)}`, '%2F'] as const,
    ),
  ] as const) {
    t.equal(await openIdHrefAt(`${here}${given}`, true), `${start}?next=${kept}`, given);
  }
});

t.test('pages: /docs/ shows every operation and links every schema that it names', async (t) => {
  const { text } = await get('/docs/');
  for (const { path, summary } of routes.filter((route) => route.path.startsWith('/v6/'))) {
    t.ok(text.includes(`<code>${escapeHtml(path)}</code>`), path);
    t.ok(text.includes(escapeHtml(summary)), summary);
  }
  for (const [, target = ''] of text.matchAll(/href="#([^"]+)"/g))
    t.ok(text.includes(`id="${target}"`), target);
  t.ok(text.includes(escapeHtml(JSON.stringify(STRIKE, null, 1))), 'bodies that can be sent are shown');
});

t.test('pages: text of a document cannot become markup', async (t) => {
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
  t.notMatch(html, /<script>alert/);
  t.ok(html.includes('&#60;script&#62;'));
});
