/**
 * The console for browsers: one page at each of its paths, and its files. Any other path is a 404; test/console/
 * compares the list below with the console's own.
 */
import { randomBytes } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import { preferredCoding, VARY } from '../../http/compression.ts';
import { streamOf } from '../../http/exchange.ts';
import { type PathPart, pathId, pathText } from '../../http/request/path-parameters.ts';
import { defineRoute, type Route, reply } from '../../http/route.ts';
import { NO_BODY, streamReply, textReply } from '../../http/schema.ts';
import { type ConsoleFiles, createConsoleFiles } from './files.ts';
import { ASSETS, consolePage, notBuiltPage, policyOf } from './page.ts';

const NONCE_BYTES = 18;
const Html = textReply('text/html; charset=utf-8');
const MEDIA_TYPES = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' } as const;

/** The paths of the console's pages. */
export const CONSOLE_PATHS = [
  '/',
  '/console/jobs/',
  '/console/jobs/{id}/',
  '/console/flow/',
  '/console/files/',
  '/console/files/{id}/',
  '/console/nodes/',
  '/console/nodes/{id}/',
  '/console/queue/',
  '/console/batches/',
  '/console/batches/new/',
  '/console/batches/{id}/',
  '/console/scans/',
  '/console/scans/new/',
  '/console/scans/{id}/',
  '/console/datasets/',
  '/console/datasets/new/',
  '/console/datasets/{id}/',
  '/console/metrics/',
  '/console/errors/',
  '/console/accounts/',
  '/console/tokens/',
  '/console/audit/',
  '/console/settings/',
  '/console/arrivals/',
  '/console/arrivals/{id}/',
  '/console/strikes/',
  '/console/strikes/{id}/',
  '/console/workspaces/',
  '/console/workspaces/{id}/',
  '/console/recipes/',
  '/console/recipes/{id}/',
  '/console/recipe-types/',
  '/console/recipe-types/{name}/',
  '/console/new-recipe-type/',
  '/console/job-types/',
  '/console/job-types/{name}/{version}/',
  '/console/new-job-type/',
] as const;

export function consoleRoutes(files: ConsoleFiles = createConsoleFiles()): readonly Route<unknown>[] {
  return [...CONSOLE_PATHS.map((path) => viewRoute(path, files)), startRoute, assetRoute(files)];
}

/** The start page has one address; people who shorten the address of another page come to it as well. */
const startRoute = defineRoute({
  method: 'GET',
  path: '/console/',
  summary: 'Leads to the start page of the console',
  access: 'open',
  replies: { 302: NO_BODY },
  handle: () => reply(302, undefined, { location: '/' }),
});

function viewRoute(path: string, files: ConsoleFiles): Route<unknown> {
  return defineRoute({
    method: 'GET',
    path,
    summary: 'A page of the console, for people',
    access: 'open', // it contains no data
    params: paramsOf(path),
    replies: { 200: Html },
    async handle() {
      const manifest = await files.manifest();
      const page =
        manifest === undefined
          ? notBuiltPage
          : consolePage(manifest, randomBytes(NONCE_BYTES).toString('base64'));
      return reply(200, page.html, page.headers);
    },
  });
}

/** Ids are numbers. Names and versions are any text; the page reports if there is no such type. */
function paramsOf(path: string): Readonly<Record<string, PathPart<string | number>>> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return Object.fromEntries(names.map((name) => [name, name === 'id' ? pathId : pathText]));
}

function assetRoute(files: ConsoleFiles): Route<unknown> {
  return defineRoute({
    method: 'GET',
    path: `${ASSETS}{name}`,
    summary: 'A script or style of the console',
    access: 'open',
    params: { name: pathText },
    replies: { 200: streamReply() },
    async handle({ params: { name }, request }) {
      const coding = preferredCoding(request.headers.get('accept-encoding') ?? '') ?? 'identity';
      const bytes = await files.read(name, coding);
      if (bytes === undefined) throw new AppError('NOT_FOUND', 'the console has no such file');
      return reply(
        200,
        { stream: streamOf(bytes), length: bytes.byteLength },
        {
          'content-type': MEDIA_TYPES[name.endsWith('.js') ? 'js' : 'css'],
          'cache-control': 'public, max-age=31536000, immutable',
          'content-security-policy': policyOf(),
          vary: VARY,
          ...(coding === 'identity' ? {} : { 'content-encoding': coding }),
        },
      );
    },
  });
}
