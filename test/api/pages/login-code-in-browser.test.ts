/** The page at `/login/code/` in a real browser: what it shows of a login, and what its buttons do. */
import t from 'tap';
import { needsBrowser, startBrowser } from '../../support/browser.ts';
import { migratedDatabase } from '../../support/db.ts';
import { startClients } from '../compat/clients-world.ts';

const PASSWORD = 'a-password-of-tests';

t.test('browser: the page of login codes', needsBrowser(), async (t) => {
  const settings = { MILLRACE_AUTH: 'on', MILLRACE_ADMIN_PASSWORD: PASSWORD };
  const { url } = await startClients(t, { DATABASE_URL: await migratedDatabase(t), ...settings });
  const browser = await startBrowser(t);
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(new URL(path, url), { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: answer.status, json: (await answer.json()) as Record<string, string> };
  };
  const begin = async () => (await post('/v6/login/codes/', { scope: 'read', days: 1 })).json;
  const first = await begin();

  await page.goto(first.verification_uri ?? '');
  await page.click('#enter a');
  await page.fill('#username', 'admin');
  await page.fill('#password', PASSWORD);
  await page.click('#enter');
  await page.waitForURL(new URL('/login/code/', url).href);

  await page.fill('#code', 'BBBB BBBB');
  await page.click('#look');
  await page.waitForSelector('#said.bad:not(:empty)');
  t.match(await page.textContent('#said'), /no login waits under this code/);
  await page.fill('#code', (first.user_code ?? '').toLowerCase());
  await page.click('#look');
  await page.waitForSelector('#request:not([hidden])');
  await page.waitForSelector('#account:text-is("admin")');
  t.equal(await page.textContent('#address'), '127.0.0.1');
  t.match(await page.textContent('#scope'), /^read/);
  t.equal(await page.textContent('#days'), '1 day');
  const poll = (code: Record<string, string>) =>
    post('/v6/login/codes/token/', { device_code: code.device_code });
  await page.click('#approve');
  await page.waitForSelector('text=Approved. The program');
  t.match(await poll(first), { status: 200, json: { scope: 'read' } });

  const second = await begin();
  await page.reload();
  await page.fill('#code', second.user_code ?? '');
  await page.click('#look');
  await page.click('#deny');
  await page.waitForSelector('text=Denied.');
  t.match(await poll(second), { status: 400, json: { code: 'LOGIN_DENIED' } });
  t.strictSame(errors, []);
});
