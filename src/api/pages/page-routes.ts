/** The pages for browsers besides the console: `/login/`, `/login/code/`, `/docs/` and `/docs/guide/`. */
import { Type } from '@sinclair/typebox';
import { AppError } from '../../domain/errors.ts';
import { streamOf } from '../../http/exchange.ts';
import type { OpenApiDocument } from '../../http/openapi.ts';
import { pathText } from '../../http/request/path-parameters.ts';
import { defineRoute, type Route, reply } from '../../http/route.ts';
import { streamReply, textReply } from '../../http/schema.ts';
import type { Parts } from '../parts.ts';
import { docsPage } from './docs.ts';
import type { Page } from './frame.ts';
import { createGuide, FIRST_PAGE } from './guide.ts';
import { loginPage } from './login.ts';
import { LOGIN_CODE_PAGE, loginCodePage } from './login-code.ts';

const Html = textReply('text/html; charset=utf-8');
const GuideSections = Type.Array(
  Type.Object({
    page: Type.String(),
    anchor: Type.String(),
    title: Type.String(),
    text: Type.String(),
  }),
);

/** `make` is called once, for the first answer: a start need not wait for pages that few people open. */
function pageRoute(path: string, summary: string, make: () => Page | Promise<Page>): Route<unknown> {
  let made: Page | Promise<Page> | undefined;
  return defineRoute({
    method: 'GET',
    path,
    summary,
    access: 'open', // it contains no data
    replies: { 200: Html },
    async handle() {
      made ??= make();
      const page = await made;
      return reply(200, page.html, page.headers);
    },
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

const guide = createGuide();
/** Files of `docs/`. */
const PICTURES = [
  ...['rooms.svg', 'watch.svg'],
  ...['console-overview.png', 'console-job.png', 'console-file.png', 'console-recipe.png'],
  ...['console-grid.png', 'console-flow.png'],
];
const MEDIA_TYPES = { svg: 'image/svg+xml', png: 'image/png' } as const;

async function guidePage(name: string) {
  const page = await guide.page(name);
  if (page === undefined) throw new AppError('NOT_FOUND', `the guide has no page '${name}'`);
  return reply(200, page.html, page.headers);
}

const guideRoutes: readonly Route<unknown>[] = [
  defineRoute({
    method: 'GET',
    path: '/docs/guide/',
    summary: 'The guide, for people',
    access: 'open',
    replies: { 200: Html },
    handle: () => guidePage(FIRST_PAGE),
  }),
  defineRoute({
    method: 'GET',
    path: '/docs/guide/{page}/',
    summary: 'A page of the guide, for people',
    access: 'open',
    params: { page: pathText },
    replies: { 200: Html },
    handle: ({ params }) => guidePage(params.page),
  }),
  defineRoute({
    method: 'GET',
    path: '/docs/guide/search.json',
    summary: 'What the guide is searched in',
    access: 'open',
    replies: { 200: GuideSections },
    handle: async () => reply(200, await guide.sections()),
  }),
  ...PICTURES.map((name) =>
    defineRoute({
      method: 'GET',
      path: `/docs/guide/${name}`,
      summary: 'A picture in the guide',
      access: 'open',
      replies: { 200: streamReply(MEDIA_TYPES[name.endsWith('.svg') ? 'svg' : 'png']) },
      async handle() {
        const bytes = await guide.picture(name);
        const headers = { 'content-security-policy': "default-src 'none'; sandbox" };
        return reply(200, { stream: streamOf(bytes), length: bytes.byteLength }, headers);
      },
    }),
  ),
];

/** `documentOf` makes the document that `/docs/` shows. */
export function pageRoutes(documentOf: () => Promise<OpenApiDocument>): readonly Route<Parts<'openId'>>[] {
  return [
    loginRoute,
    pageRoute(LOGIN_CODE_PAGE, 'Log in by a code, for people', () => loginCodePage),
    pageRoute('/docs/', 'The interface, for people', async () => docsPage(await documentOf())),
    ...guideRoutes,
  ];
}
