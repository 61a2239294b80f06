/** The pages for browsers: `/`, `/login/` and `/docs/`. */
import type { OpenApiDocument } from '../../http/openapi.ts';
import { defineRoute, type Route, reply } from '../../http/route.ts';
import { textReply } from '../../http/schema.ts';
import type { Parts } from '../parts.ts';
import { docsPage } from './docs.ts';
import type { Page } from './frame.ts';
import { homePage } from './home.ts';
import { loginPage } from './login.ts';

const Html = textReply('text/html; charset=utf-8');

function pageRoute(path: string, summary: string, page: Page): Route<unknown> {
  return defineRoute({
    method: 'GET',
    path,
    summary,
    access: 'open', // it contains no data
    replies: { 200: Html },
    handle: () => reply(200, page.html, page.headers),
  });
}

const loginRoute = defineRoute({
  method: 'GET',
  path: '/login/',
  summary: 'Log in, for people',
  access: 'open',
  replies: { 200: Html },
  handle(_input, { openId }: Parts<'openId'>) {
    const { html, headers } = loginPage(openId.isSetUp);
    return reply(200, html, headers);
  },
});

/** `document` is the one that `/docs/` shows. */
export function pageRoutes(document: OpenApiDocument): readonly Route<Parts<'openId'>>[] {
  return [
    pageRoute('/', 'Status, for people', homePage),
    loginRoute,
    pageRoute('/docs/', 'The interface, for people', docsPage(document)),
  ];
}
