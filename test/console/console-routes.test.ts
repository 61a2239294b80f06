/** How the service serves the console: its policy, its files, its paths, and what it says where it is not built. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { buildConsole } from '../../scripts/build/console.ts';
import { CONSOLE_PATHS, consoleRoutes } from '../../src/api/console/console-routes.ts';
import { createConsoleFiles } from '../../src/api/console/files.ts';
import { makeCaller } from '../support/http.ts';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-N'; connect-src 'self'; " +
  "img-src 'self' data: blob:; font-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; " +
  "frame-ancestors 'none'";
const FIRST_VIEW_BYTES_MAX = 250_000;
const SCRIPT = 'script of the test';

function folder(t: Test): string {
  const path = mkdtempSync(join(tmpdir(), 'millrace-console-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A console of files that are made up. */
function written(t: Test) {
  const path = folder(t);
  const manifest = {
    script: 'main-AAAAAAAA.js',
    style: 'console-BBBBBBBB.css',
    live: 'live-CCCCCCCC.js',
    layout: 'layout-DDDDDDDD.js',
    parts: [],
  };
  writeFileSync(join(path, 'manifest.json'), JSON.stringify(manifest));
  writeFileSync(join(path, 'main-AAAAAAAA.js'), SCRIPT);
  writeFileSync(join(path, 'main-AAAAAAAA.js.br'), brotliCompressSync(SCRIPT));
  writeFileSync(join(path, 'main-AAAAAAAA.js.gz'), gzipSync(SCRIPT));
  return makeCaller(consoleRoutes(createConsoleFiles(path)), {});
}

t.test('console: each page has the strict policy, with a nonce of its own', async (t) => {
  const { get } = written(t);
  const nonces = new Set<string>();
  for (const path of CONSOLE_PATHS) {
    const { status, headers, text } = await get(path.replaceAll(/\{\w+\}/g, '7'));
    t.equal(status, 200, path);
    t.equal(headers.get('cache-control'), 'no-store');
    const policy = headers.get('content-security-policy') ?? '';
    const [, nonce = ''] = /'nonce-([\w+/=]+)'/.exec(policy) ?? [];
    t.equal(policy.replace(nonce, 'N'), POLICY);
    t.ok(text.includes(`nonce="${nonce}"`), 'the page knows it');
    t.notMatch(text, /<style|<script>| style="| on\w+="/, 'nothing that the policy would block');
    nonces.add(nonce);
  }
  t.equal(nonces.size, CONSOLE_PATHS.length);
});

t.test('console: files are sent compressed, cacheable for ever, and under the policy', async (t) => {
  const { get } = written(t);
  for (const [accepted, coding] of [
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['identity', undefined],
  ] as const) {
    const { status, headers, text } = await get('/console/assets/main-AAAAAAAA.js', {
      'accept-encoding': accepted,
    });
    t.equal(status, 200);
    t.equal(headers.get('content-encoding'), coding);
    t.equal(headers.get('vary'), 'accept-encoding');
    t.equal(headers.get('content-type'), 'text/javascript; charset=utf-8');
    t.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable');
    t.equal(headers.get('content-security-policy'), POLICY.replace(" 'nonce-N'", ''), 'workers have it too');
    if (coding === undefined) t.equal(text, SCRIPT);
  }
  for (const name of [
    'main-DDDDDDDD.js',
    'manifest.json',
    '..%2Fmanifest.json',
    'main-AAAAAAAA.js.br',
    'x',
  ]) {
    t.equal((await get(`/console/assets/${name}`)).status, 404, name);
  }
});

t.test('console: paths that are not routed are 404', async (t) => {
  const { get } = written(t);
  for (const path of ['/console/nothing/', '/console/jobs/x/', '/jobs/']) {
    t.equal((await get(path)).status, 404, path);
  }
});

t.test('console: the start page is also found at /console/', async (t) => {
  const { get } = written(t);
  const { status, headers } = await get('/console/');
  t.strictSame([status, headers.get('location')], [302, 'http://localhost:8080/']);
});

t.test('console: the service serves the paths that the console routes', async (t) => {
  const sources = join(import.meta.dirname, '../../src/console');
  const source = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('route.tsx'))
    .map((name) => readFileSync(join(sources, name), 'utf8'))
    .join('\n');
  const routed = [...source.matchAll(/path: '([^']+)'/g)].map(([, path = '']) =>
    path.replaceAll(/\$(\w+)/g, '{$1}'),
  );
  t.strictSame(routed.sort(), [...CONSOLE_PATHS].sort());
  const made = [...source.matchAll(/export const (\w+) = createRoute\(/g)].map(([, name]) => name);
  t.equal(made.length, routed.length, 'each route has its path as a text, which is found here');
  const [, listed = ''] =
    /const pages = \[([^\]]*)\]/.exec(readFileSync(join(sources, 'routes.tsx'), 'utf8')) ?? [];
  t.strictSame([...listed.matchAll(/\w+/g)].map(([name]) => name).sort(), made.sort(), 'the router has each');
});

t.test('console: without a built console, / says how to build it', async (t) => {
  const { get } = makeCaller(consoleRoutes(createConsoleFiles(join(folder(t), 'nothing'))), {});
  const { status, text, headers } = await get('/');
  t.equal(status, 200);
  t.match(text, 'npm ci &amp;&amp; npm run build');
  t.match(headers.get('content-security-policy'), /default-src 'none'/);
});

t.test('console: the first view loads no more than its limit', async (t) => {
  const path = folder(t);
  await buildConsole(path);
  const { script, style, parts } = JSON.parse(readFileSync(join(path, 'manifest.json'), 'utf8'));
  const bytes = [script, style, ...parts]
    .map((name: string) => readFileSync(join(path, `${name}.gz`)).byteLength)
    .reduce((sum, one) => sum + one, 0);
  t.comment(`${bytes} bytes`);
  t.ok(bytes > 10_000 && bytes < FIRST_VIEW_BYTES_MAX, `${bytes} bytes`);
});
