/** A console that is left open: the service is killed meanwhile, the session lapses, others work on the same things. */

import type { Route } from 'playwright-core';
import t, { type Test } from 'tap';
import { needsBrowser } from '../support/browser.ts';
import { type ConsoleWorld, openPage, PASSWORD, startConsole } from './console-world.ts';

t.test('console: a page that stays open for long', needsBrowser(), async (t) => {
  const world = await startConsole(t);
  const slow = await world.jobType('lasting-slow', 'sleep 600');
  await t.test('the page recovers after a kill of the service', (t) => outlivesKill(t, world, slow));
  await t.test('what failed while the service was away is read again, and says so in a dialog', (t) =>
    readsAgain(t, world, slow),
  );
  await t.test('two people who change one object see each other’s changes', (t) => twoPeople(t, world, slow));
  await t.test('a name that turns the direction of text turns its own alone', (t) => turnsItself(t, world));
  await t.test('the page asks for a login when the session lapses', (t) => sessionLapses(t, world));
});

async function staff(t: Test, world: ConsoleWorld, username: string): Promise<number> {
  const { status, json } = await world.call('POST', '/v6/accounts/', {
    ...{ username, password: PASSWORD, is_staff: true },
  });
  t.equal(status, 201);
  return json.id;
}

/** Failed requests are what this is about: they are not counted as troubles. */
async function outlivesKill(t: Test, world: ConsoleWorld, type: number): Promise<void> {
  const before = await world.job(type);
  const { page } = await openPage(t, world, '/console/jobs/');
  const row = (id: number) => page.locator(`.cell-id a[href="/console/jobs/${id}/"]`);
  await row(before).waitFor();
  await page.evaluate('window.sameDocument = true');

  const start = await world.kill();
  await page.locator('.connection.lost').waitFor();
  t.equal(await row(before).count(), 1, 'what was read stays on the page');
  const word = page.locator('.connection-word');
  const colorOf = (part: string) =>
    page.evaluate(`getComputedStyle(document.querySelector('.connection ${part}')).color`);
  t.match(await colorOf('.shape'), /^rgb/);
  t.equal(
    await colorOf('.shape'),
    await colorOf('.connection-word'),
    'the shape has the colour of the words',
  );
  await page.setViewportSize({ width: 390, height: 844 });
  t.ok(await word.isVisible(), 'a phone says it in words, too');
  t.match(await word.textContent(), /^Connection lost; shown as of \d\d:\d\d:\d\d$/);
  await page.setViewportSize({ width: 1_280, height: 860 });
  await start();
  // It is made while the page is not connected yet, or is: it must be told of it either way.
  const during = await world.job(type);
  await row(during).waitFor();
  await page.locator('.connection.live').waitFor();
  await row(await world.job(type)).waitFor();
  t.equal(await page.evaluate('window.sameDocument'), true, 'the page was not loaded again');
  for (const id of [before, during]) await world.call('POST', '/v6/jobs/cancel/', { job_ids: [id] });
}

async function readsAgain(t: Test, world: ConsoleWorld, type: number): Promise<void> {
  const job = await world.job(type);
  const { page: dialog } = await openPage(t, world, '/console/queue/');
  await dialog.click('button:text("Pause the scheduler…")');
  const { page: preview } = await openPage(t, world, `/console/jobs/${job}/`);
  const { page: editor } = await openPage(t, world, '/console/job-types/');
  for (const page of [dialog, preview]) await page.evaluate('window.sameDocument = true');

  const start = await world.kill();
  for (const page of [dialog, preview, editor]) await page.locator('.connection.lost').waitFor();
  await dialog.click('.dialog button.primary:text("Pause")');
  await preview.click('button:text("Cancel…")');
  // The code of editors is fetched only on the way to them.
  await editor.click('a:text("New job type")');
  for (const page of [dialog, preview, editor])
    await page.locator('.failure:has-text("The service does not answer")').waitFor();
  await start();
  await preview.locator('button.danger:text("Cancel 1 job"):enabled').waitFor();
  await dialog.locator('.dialog .failure:has-text("did not answer, and does now")').waitFor();
  await editor.locator('.cm-editor').waitFor();
  for (const page of [dialog, preview]) {
    t.equal(await page.evaluate('window.sameDocument'), true, 'the page was not loaded again');
    t.equal(await page.locator('.failure:has-text("does not answer")').count(), 0);
  }
  await world.call('POST', '/v6/jobs/cancel/', { job_ids: [job] });
}

async function turnsItself(t: Test, world: ConsoleWorld): Promise<void> {
  const { status, json } = await world.call('POST', '/v6/job-types/', {
    container_image: 'process:default',
    manifest: {
      seedVersion: '1.0.0',
      job: {
        ...{ name: 'turned', jobVersion: '1.0.0', packageVersion: '1.0.0', title: 'photo\u202Egnp.exe' },
        ...{ description: '', maintainer: { name: 'Ann', email: 'ann@example.com' }, timeout: 60 },
        interface: { command: 'true' },
      },
    },
  });
  t.equal(status, 201);
  const { page, troubles } = await openPage(t, world, `/console/jobs/${await world.job(json.id)}/`);
  const [name, id] = [page.locator('h1 bdi'), page.locator('h1 .head-id')];
  const [{ x = 0, width = 0 } = {}, after] = [(await name.boundingBox()) ?? {}, await id.boundingBox()];
  t.ok((after?.x ?? 0) >= x + width, 'the id stands behind the name');
  t.strictSame(troubles, []);
}

async function twoPeople(t: Test, world: ConsoleWorld, type: number): Promise<void> {
  await staff(t, world, 'bob');
  const id = await world.job(type);
  const ann = await openPage(t, world, `/console/jobs/${id}/`);
  const bob = await openPage(t, world, `/console/jobs/${id}/`, 'bob');
  // Both have the question before them; the first to answer it wins.
  for (const { page } of [ann, bob]) {
    await page.click('button:text("Cancel…")');
    await page.locator('button.danger:text("Cancel 1 job"):enabled').waitFor();
  }
  await ann.page.click('button.danger:text("Cancel 1 job")');
  await world.status(id, 'CANCELED');
  await bob.page.locator('.page-head .status:has-text("Canceled")').waitFor();
  await bob.page.keyboard.press('Escape');
  await bob.page.locator('.dialog').waitFor({ state: 'detached' });
  t.equal(await bob.page.locator('.page-actions button:text("Cancel…")').count(), 0, 'it is offered no more');
  t.match(
    (await world.call('GET', `/v6/jobs/${id}/`)).json.reason,
    'canceled by admin',
    'who was first is recorded',
  );

  // What one saves the other sees without loading the page.
  await bob.page.goto(new URL('/console/queue/', world.url).href);
  await ann.page.goto(new URL('/console/queue/', world.url).href);
  await bob.page.click('button:text("Pause the scheduler…")');
  await bob.page.click('.dialog button.primary:text("Pause")');
  await ann.page.locator('button:text("Resume the scheduler…")').click();
  await ann.page.click('.dialog button.primary:text("Resume")');
  await bob.page.locator('.status:has-text("Scheduler places jobs")').waitFor();
  t.strictSame([...ann.troubles, ...bob.troubles], []);
}

async function sessionLapses(t: Test, world: ConsoleWorld): Promise<void> {
  const id = await staff(t, world, 'carol');
  const path = '/console/jobs/?status=FAILED&order=-id';
  const { page } = await openPage(t, world, path, 'carol');
  // While the login loads, another request is refused.
  const logins: Route[] = [];
  await page.route('**/login/?next=*', (route) => void logins.push(route));
  await page.evaluate(`addEventListener('beforeunload', () => {
    setTimeout(() => document.querySelector('nav a[href^="/console/recipes/"]').click());
  }, { once: true })`);
  const refused = page.waitForResponse((answer) => answer.url().includes('/v6/recipes/'));
  // A password that staff sets ends the sessions of the account.
  const { status } = await world.call('POST', `/v6/accounts/${id}/password/`, { password: PASSWORD });
  t.equal(status, 204);
  t.equal((await refused).status(), 401);
  const loaded = page.waitForURL(/\/login\/\?next=/);
  await logins[0]?.continue();
  await loaded;
  t.equal(logins.length, 1, 'a page goes to the login once');
  await page.fill('#username', 'carol');
  await page.fill('#password', PASSWORD);
  await page.click('#enter');
  await page.waitForURL(new URL(path, world.url).href);
  await page.locator('.connection.live').waitFor();
}
