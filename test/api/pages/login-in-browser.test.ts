/**
 * The login pages in a real browser: what they may send, and where they lead. The UI of the public system stands behind
 * a proxy that passes `Host` without its port, and sends whoever is not logged in to the login page below `/api/`.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { needsBrowser, startBrowser } from '../../support/browser.ts';
import { migratedDatabase } from '../../support/db.ts';
import { CLIENT, startProvider } from '../../support/openid-provider.ts';
import { startClients } from '../compat/clients-world.ts';

const PASSWORD = 'a-password-of-tests';
const UI_PAGE = `<!doctype html><title>UI</title><p id="who"></p><script>
fetch('/api/v6/accounts/profile/').then(async (answer) => {
  if (answer.ok) document.getElementById('who').textContent = (await answer.json()).username;
  else location.assign('/api/login/?next=' + location.href);
});
</script>`;

interface Proxy {
  readonly origin: string;
  target: string;
}

/** What serves a UI, and passes `/api` on. */
async function startProxy(t: Test): Promise<Proxy> {
  const proxy = { origin: '', target: '' };
  const server = createServer((incoming, outgoing) => {
    if (incoming.url?.startsWith('/api') === true) passOn(incoming, outgoing, proxy.target);
    else outgoing.setHeader('content-type', 'text/html; charset=utf-8').end(UI_PAGE);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy.origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return proxy;
}

function passOn(incoming: IncomingMessage, outgoing: ServerResponse, target: string): void {
  const headers = { ...incoming.headers, host: 'localhost' };
  const { method = 'GET', url = '/' } = incoming;
  const passed = request(new URL(url, target), { method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  passed.on('error', () => outgoing.destroy());
  incoming.pipe(passed);
}

/** Whom the cookies of a page's browser stand for; undefined: nobody. */
async function nameOf(page: Page): Promise<string | undefined> {
  const answer = await page.request.get(new URL('/v6/accounts/profile/', page.url()).href);
  return (await answer.json()).username;
}

/** A write as the UI sends it, with the token of the cookie. */
async function pause(page: Page): Promise<number> {
  const cookies = await page.context().cookies(page.url());
  const token = cookies.find(({ name }) => name === 'csrftoken')?.value ?? '';
  return page.evaluate(async (shown) => {
    const headers = { 'content-type': 'application/json', 'x-csrftoken': shown };
    const init = { method: 'PATCH', headers, body: '{"is_paused": false}' };
    return (await fetch('/api/v6/scheduler/', init)).status;
  }, token);
}

t.test('browser: login pages', needsBrowser(), async (t) => {
  const proxy = await startProxy(t);
  const callback = '/v6/login/openid/callback/';
  const provider = await startProvider(t, [`${proxy.origin}/api${callback}`]);
  provider.people.u1 = { preferred_username: 'alice' };
  const { url } = await startClients(t, {
    DATABASE_URL: await migratedDatabase(t),
    ...{ MILLRACE_AUTH: 'on', MILLRACE_ADMIN_PASSWORD: PASSWORD, MILLRACE_ALLOWED_ORIGINS: proxy.origin },
    ...{ MILLRACE_OIDC_ISSUER: provider.issuer, MILLRACE_OIDC_CLIENT_ID: CLIENT.id },
    ...{ MILLRACE_OIDC_CLIENT_SECRET: CLIENT.secret },
  });
  proxy.target = url;
  const browser = await startBrowser(t);

  t.test('the page of the service logs a person in, continues, and logs out', async (t) => {
    const page = await browser.newPage();
    await page.goto(new URL('/login/?next=/docs/', url).href);
    t.equal(await nameOf(page), undefined);
    await page.fill('#username', 'admin');
    await page.fill('#password', 'wrong');
    await page.click('#enter');
    await page.waitForSelector('#said.bad');
    t.match(await page.textContent('#said'), /Unable to log in/);
    await page.fill('#password', PASSWORD);
    await page.click('#enter');
    await page.waitForURL(new URL('/docs/', url).href);
    t.equal(await nameOf(page), 'admin');
    await page.goto(new URL('/login/', url).href);
    await page.waitForSelector('#leave:not([hidden])');
    await Promise.all([page.waitForEvent('load'), page.click('#leave')]);
    t.equal(await nameOf(page), undefined);
  });

  t.test('the page below /api/, asked without a proxy, logs in by its form', async (t) => {
    const page = await browser.newPage();
    const next = new URL('/?a=1', url).href;
    await page.goto(new URL(`/api/login/?next=${next}`, url).href);
    await logInByForm(page, 'wrong');
    await page.waitForSelector('.bad:not(:empty)');
    t.match(await page.textContent('.bad'), /Unable to log in/);
    await logInByForm(page, PASSWORD);
    await page.waitForURL(next);
    t.equal(await nameOf(page), 'admin');
    t.equal(await pause(page), 204);
  });

  t.test('a UI behind a proxy leads to the form, which leads back to the page', async (t) => {
    const page = await browser.newPage();
    const start = `${proxy.origin}/processing/jobs?a=1&b=2`;
    await page.goto(start);
    await page.waitForURL(`${proxy.origin}/api/login/**`);
    await logInByForm(page, PASSWORD);
    await page.waitForURL(`${proxy.origin}/processing/jobs?a=1*`);
    await page.waitForSelector('#who:not(:empty)');
    t.equal(await page.textContent('#who'), 'admin');
    t.equal(await pause(page), 204, 'and what the page then changes is taken');
  });

  t.test('a UI behind a proxy leads to the OpenID provider and back', async (t) => {
    const page = await browser.newPage();
    const start = `${proxy.origin}/processing/jobs?a=1`;
    await page.goto(start);
    await page.waitForURL(`${proxy.origin}/api/login/**`);
    await page.click('main a');
    await page.waitForURL(`${provider.issuer}/**`);
    await page.fill('[name=login]', 'u1');
    await page.fill('[name=password]', 'x');
    await page.click('[type=submit]');
    await page.waitForSelector('[name=prompt][value=consent]', { state: 'attached' });
    await page.click('[type=submit]');
    await page.waitForURL(start);
    await page.waitForSelector('#who:not(:empty)');
    t.equal(await page.textContent('#who'), 'alice');
    t.equal(await pause(page), 403, 'alice is no member of the staff');
  });
});

async function logInByForm(page: Page, password: string): Promise<void> {
  await page.fill('[name=username]', 'admin');
  await page.fill('[name=password]', password);
  await page.click('form button');
}
