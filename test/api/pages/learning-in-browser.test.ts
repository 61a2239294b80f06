/** The guide and the page of the interface in a real browser, with their policies on. */
import type { Page } from 'playwright-core';
import t from 'tap';
import type { ApiParts } from '../../../src/api/parts.ts';
import { serviceRoutes } from '../../../src/api/service.ts';
import { needsBrowser, startBrowser } from '../../support/browser.ts';
import { makeCaller } from '../../support/http.ts';

const ORIGIN = 'http://localhost:8080';
/** What an answer holds must stay text. */
const EVIL = '<img src=x onerror="document.title=1">';

interface Sent {
  readonly method: string;
  readonly target: string;
  readonly body: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** Answers a browser's requests as the service does, and writes calls down. */
async function serveTo(page: Page, sent: Sent[]): Promise<void> {
  const deps = { version: EVIL } as unknown as ApiParts;
  const { call } = makeCaller(serviceRoutes('1.2.3'), deps);
  await page.route('**/*', async (route) => {
    const request = route.request();
    const target = request.url().slice(ORIGIN.length);
    const headers = request.headers();
    const body = request.postData();
    if (target.startsWith('/v6/') && target !== '/v6/openapi.json')
      sent.push({ method: request.method(), target, body, headers });
    // Writes need a database.
    const isRead = request.method() === 'GET';
    const answer = isRead
      ? await call('GET', target)
      : { status: 400, headers: new Map([['content-type', 'application/json']]), text: '{"detail":"no"}' };
    await route.fulfill({
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: answer.text,
    });
  });
}

async function opened(t: { teardown(call: () => Promise<void>): void }, path: string, width = 1_100) {
  const page = await (await startBrowser(t)).newPage();
  await page.setViewportSize({ width, height: 900 });
  const sent: Sent[] = [];
  const refused: string[] = [];
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) refused.push(message.text());
  });
  await serveTo(page, sent);
  await page.goto(`${ORIGIN}${path}`);
  return { page, sent, refused };
}

const fits = async (page: Page, width: number): Promise<boolean> =>
  Number(await page.evaluate('document.documentElement.scrollWidth')) <= width;

t.test('guide in a browser: a result of the search leads to its section', needsBrowser(), async (t) => {
  const { page, refused } = await opened(t, '/docs/guide/');
  await page.fill('#search', 'transfer suffix');
  const first = page.locator('#found a').first();
  await first.waitFor();
  t.ok((await page.locator('#found mark').count()) > 0, 'words are marked');
  const href = (await first.getAttribute('href')) ?? '';
  await first.click();
  await page.waitForURL(`${ORIGIN}${href}`);
  await page.fill('#search', 'nobodyknowsthisword');
  await page.waitForSelector('#found li:text("nothing found")');
  await page.goto(`${ORIGIN}/docs/guide/architecture/`);
  const width =
    "(async (one) => (await one.decode(), one.naturalWidth))(document.querySelector('article img'))";
  t.ok(Number(await page.evaluate(width)) > 0, 'the picture is shown');
  t.strictSame(refused, []);
});

t.test('guide and interface in a browser: nothing is wider than a telephone', needsBrowser(), async (t) => {
  for (const path of ['/docs/guide/', '/docs/guide/interface/', '/docs/guide/settings/', '/docs/']) {
    const { page } = await opened(t, path, 390);
    t.ok(await fits(page, 390), path);
  }
});

t.test('interface in a browser: a call is sent by its form', needsBrowser(), async (t) => {
  const { page, sent, refused } = await opened(t, '/docs/', 390);
  const call = page.locator('#call-getVersion');
  await call.locator('summary').first().press('Enter');
  await call.locator('button.open-try').press('Enter');
  await call.locator('button.send').press('Enter');
  await call.locator('.status').waitFor();
  t.equal((await call.locator('.status').textContent())?.slice(0, 3), '200');
  t.ok((await call.locator('pre.body').textContent())?.includes(JSON.stringify(EVIL)), 'as text');
  t.equal(await call.locator('.answer img').count(), 0);
  t.match(await call.locator('pre.headers').textContent(), /content-type: application\/json/);
  t.equal(sent[0]?.headers.authorization, undefined);

  await page.fill('#token', 'secret-token');
  const create = page.locator('#call-createWorkspace');
  await create.locator('summary').first().click();
  await create.locator('button.open-try').click();
  const body = create.locator('textarea.body');
  await body.waitFor();
  t.equal(JSON.parse(await body.inputValue()).title, 'Arrivals', 'the example is filled in');
  await create.locator('select').selectOption({ label: 'Uploads' });
  t.equal(JSON.parse(await body.inputValue()).title, 'Uploads', 'and the others can be chosen');
  await create.locator('[data-in=header]').fill('key-1');
  await create.locator('button.send').click();
  await create.locator('.status').waitFor();
  t.match(sent.at(-1), {
    method: 'POST',
    target: '/v6/workspaces/',
    headers: { authorization: 'Bearer secret-token', 'idempotency-key': 'key-1' },
  });
  t.match(await create.locator('pre.curl').textContent(), /^curl -X POST 'http:.*Bearer \$TOKEN.* -d '\{/s);

  const list = page.locator('#call-getJob');
  await list.locator('summary').first().click();
  await list.locator('button.open-try').click();
  await list.locator('[data-in=path]').fill('a/b');
  await list.locator('button.send').click();
  await list.locator('.status').waitFor();
  t.equal(sent.at(-1)?.target, '/v6/jobs/a%2Fb/');
  t.ok(await fits(page, 390));
  t.strictSame(refused, []);
  const kept = await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])');
  t.notMatch(kept, /secret-token/, 'the token is kept nowhere');
});
