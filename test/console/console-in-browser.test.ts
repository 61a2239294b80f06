/** The console in a real browser, with its policy on: pages, live changes, actions and accounts. */
import t from 'tap';
import { until } from '../e2e/harness/until.ts';
import { needsBrowser } from '../support/browser.ts';
import { checkPages } from './checked-pages.ts';
import { HOSTILE, openPage, startConsole, watch } from './console-world.ts';
import { goTo, tabTo } from './keyboard.ts';

const FAILING = `echo begun; echo "${HOSTILE.replaceAll('"', '')}" >&2; exit 3`;

t.test('console in a browser', needsBrowser(), async (t) => {
  const world = await startConsole(t);
  const failing = await world.jobType('console-failing', FAILING);
  const fine = await world.jobType('console-fine', 'echo fine');
  const slow = await world.jobType('console-slow', 'echo begun; while [ ! -e /nowhere ]; do sleep 1; done');

  await t.test('a filter that matches no job leaves a usable page', async (t) => {
    await checkPages(t, world, ['/console/jobs/?status=RUNNING']);
  });

  const failed = await world.job(failing);
  const done = await world.job(fine);
  const running = await world.job(slow);
  await world.status(failed, 'FAILED');
  await world.status(done, 'COMPLETED');
  await world.status(running, 'RUNNING');

  await t.test('with jobs, no page has an error, a finding of axe-core, or is too wide', async (t) => {
    const paths = [failed, done, running].map((id) => `/console/jobs/${id}/`);
    await checkPages(t, world, ['/', '/console/jobs/', '/console/jobs/?status=FAILED&order=id', ...paths]);
  });

  await t.test('a failed job is found, read and requeued by the keyboard alone', async (t) => {
    const { page, troubles } = await openPage(t, world);
    await goTo(page, 'failed', 'Failed jobs');
    await page.waitForURL(/status=FAILED/);
    await page.locator(`.cell-id a[href="/console/jobs/${failed}/"]`).waitFor();
    await page.keyboard.press('j');
    await page.locator('tr.at').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/console/jobs/${failed}/`));
    await page.locator('.log-line:has-text("<img src=x")').waitFor();
    t.equal(await page.locator('main img').count(), 0, 'its errors come first, as text');
    await page.locator('.phases:has-text("exit code 3")').waitFor();
    const phases = await page.locator('.phases tbody th').allTextContents();
    // The program may start in the same millisecond as its inputs are there.
    const named = phases.filter((name) => name !== 'start');
    t.strictSame(named, ['queued', 'launch', 'pull', 'pre', 'main', 'report'], 'no time is without a name');
    const before = (await world.call('GET', `/v6/jobs/${failed}/`)).json.num_exes;
    // The navigation is not in between: the list is behind one Tab, and the action behind the next.
    for (const text of ['Jobs', 'Requeue…']) {
      await page.keyboard.press('Tab');
      t.equal(await page.locator('main :focus').textContent(), text);
    }
    await page.keyboard.press('Enter');
    const confirm = page.locator('button.primary:not(:disabled)');
    await confirm.waitFor();
    t.match(await confirm.textContent(), 'Requeue 1 job', 'the count comes first');
    await tabTo(page, 'Requeue 1 job');
    await page.keyboard.press('Enter');
    await page.locator('.dialog').waitFor({ state: 'detached' });
    // The request is answered when it is saved: the job may still be the failed one of before.
    await until('the job has failed again', async () => {
      const { json } = await world.call('GET', `/v6/jobs/${failed}/`);
      return json.num_exes > before && json.status === 'FAILED';
    });
    t.strictSame(troubles, []);
  });

  await t.test('the palette finds objects by a part of their name, and by their id', async (t) => {
    const { page, troubles } = await openPage(t, world);
    await goTo(page, 'onsole-fai', 'console-failing');
    await page.waitForURL(/\/console\/job-types\/console-failing\//);
    await page.locator('h1:has-text("console-failing")').waitFor();
    await goTo(page, String(failed), `Job ${failed}`);
    await page.waitForURL(new RegExp(`/console/jobs/${failed}/`));
    await page.keyboard.press('/');
    await page.keyboard.type('jt?');
    t.equal(await page.locator('.palette input').inputValue(), 'jt?', 'no letter is lost while it opens');
    await page.locator('.palette input').fill(HOSTILE);
    await page.locator('.palette [role=option]:has-text("Files with")').waitFor();
    t.equal(await page.locator('.palette img').count(), 0);
    t.strictSame(troubles, []);
  });

  await t.test('a change made elsewhere is shown by itself, in all tabs, over one connection', async (t) => {
    const first = await openPage(t, world, '/console/jobs/');
    const sockets: string[] = [];
    first.page.context().on('page', (page) => page.on('websocket', (socket) => sockets.push(socket.url())));
    const second = await first.page.context().newPage();
    const troubles = watch(second);
    await second.goto(new URL(`/console/jobs/${running}/`, world.url).href);
    await second.locator('.connection.live').waitFor();
    await second.locator('.log-line:has-text("begun")').waitFor();
    await second.locator('.why .counts .number:has-text(" of 1 h")').waitFor();
    const added = await world.job(fine);
    await first.page.locator(`.cell-id a[href="/console/jobs/${added}/"]`).waitFor();
    await world.call('POST', '/v6/jobs/cancel/', { job_ids: [running] });
    await second.locator('.page-head .status:has-text("Canceled")').waitFor();
    t.strictSame(sockets, [], 'no tab has a connection of its own: the shared worker has it');
    t.strictSame([...troubles, ...first.troubles], []);
  });

  await t.test('logging out in one tab logs out all tabs', async () => {
    const { page } = await openPage(t, world);
    const other = await page.context().newPage();
    await other.goto(new URL('/console/jobs/', world.url).href);
    await other.locator('.connection.live').waitFor();
    await page.click('button:text("Log out")');
    await page.waitForURL(/\/login\//);
    await other.waitForURL(/\/login\//);
  });

  await t.test('an account that may only read is offered no change', async (t) => {
    const account = { username: 'reader', password: 'a-password-of-tests', is_staff: false };
    t.equal((await world.call('POST', '/v6/accounts/', account)).status, 201);
    const { page, troubles } = await openPage(t, world, `/console/jobs/${failed}/`, 'reader');
    await page.locator('.log-line').first().waitFor();
    t.match(await page.locator('header .account').textContent(), /reader.*reads only/);
    t.equal(await page.locator('button:text("Requeue")').count(), 0);
    await page.goto(new URL('/console/jobs/', world.url).href);
    await page.locator('tbody tr a').first().waitFor();
    t.equal(await page.locator('.page-actions button, input[type=checkbox]').count(), 0);
    t.strictSame(troubles, []);
  });

  await t.test('jobs are canceled in bulk, with a count first', async (t) => {
    const ids = [await world.job(slow), await world.job(slow)];
    // In an order that does not change when they start: a row would move while it is selected.
    const { page, troubles } = await openPage(t, world, '/console/jobs/?type=console-slow&order=id');
    for (const id of ids) await page.check(`input[aria-label="Select job ${id}"]`);
    await page.click('button:text("Cancel 2 selected…")');
    await page.locator('.dialog .counts li:has-text("console-slow 1.0.0: 2 jobs")').waitFor();
    await page.click('button.danger:text("Cancel 2 jobs")');
    for (const id of ids) await world.status(id, 'CANCELED');
    t.strictSame(troubles, []);
  });
});
