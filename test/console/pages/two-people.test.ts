/** Two people who work on the same failures, types and jobs at once, each in a browser of their own. */
import t, { type Test } from 'tap';
import { until } from '../../e2e/harness/until.ts';
import { needsBrowser } from '../../support/browser.ts';
import { type ConsoleWorld, openPage, PASSWORD, startConsole, type Watched } from '../console-world.ts';

const JOBS = 12;
/** The range of groups of failures begins with a whole slot. */
const SLOT_MS = 300_000;

interface People {
  readonly world: ConsoleWorld;
  readonly ann: Watched;
  readonly bob: Watched;
  visit(path: string): Promise<void>;
}

t.test('console: two people at once', needsBrowser(), async (t) => {
  const world = await startConsole(t);
  const account = { username: 'bob', password: PASSWORD, is_staff: true };
  t.equal((await world.call('POST', '/v6/accounts/', account)).status, 201);
  const failed = await world.job(await world.jobType('shared-broken', 'exit 3'));
  const huge = await world.jobType('shared-huge', 'true', { mem: 9_000_000 });
  await world.status(failed, 'FAILED');
  const ann = await openPage(t, world);
  const bob = await openPage(t, world, '/', 'bob');
  const visit = async (path: string): Promise<void> => {
    for (const { page } of [ann, bob]) {
      await page.goto(new URL(path, world.url).href);
      await page.locator('.connection.live').waitFor();
    }
  };
  const people = { world, ann, bob, visit };
  await t.test('one marks a failure as known, the other takes it back', (t) => marksFailure(t, people));
  await t.test('a note stays while it is written, even if its failure is known meanwhile', (t) =>
    writesNote(t, people),
  );
  await t.test('a page of failures asks nothing until somebody marks one', (t) =>
    asksNothing(t, people, failed),
  );
  await t.test('one learns in the editor that the other has saved', (t) => editsType(t, people));
  await t.test('one cancels jobs while the other requeues them', () => changesJobs(people, huge));
  await t.test('a session that lapses leads all its tabs to the login', (t) => lapsesInTab(t, people));
  t.strictSame([...ann.troubles, ...bob.troubles], []);
});

async function marksFailure(t: Test, { world, ann, bob, visit }: People): Promise<void> {
  await visit('/console/errors/');
  const entry = ({ page }: Watched) => page.locator('.attention li:has-text("shared-broken")');
  await entry(bob).locator('button:text("Mark as known…")').waitFor();
  await entry(ann).locator('button:text("Mark as known…")').click();
  await ann.page.locator('textarea:focus').waitFor();
  await ann.page.keyboard.type('The disk is replaced on Monday');
  await ann.page.click('button.primary:text("Save")');
  await entry(bob).locator('.note-text:has-text("replaced on Monday")').waitFor();
  await entry(bob).locator('text=Known, noted by admin').waitFor();
  await entry(bob).locator('button:text("Note…")').click();
  t.equal(await bob.page.locator('textarea').inputValue(), 'The disk is replaced on Monday');
  await bob.page.getByRole('checkbox', { name: 'Known' }).uncheck();
  await bob.page.click('button.primary:text("Save")');
  await entry(ann).locator('button:text("Mark as known…")').waitFor();
  const [group] = (await world.call('GET', '/v6/failures/?started=P1D')).json.results;
  t.match(group, { is_known: false, noted_by: 'bob', note: 'The disk is replaced on Monday' });

  await entry(ann).locator('button:text("Mark as known…")').click();
  await ann.page.locator('textarea:focus').fill('Written at the same time');
  await entry(bob).locator('button:text("Mark as known…")').click();
  await bob.page.locator('textarea:focus').fill('It is replaced on Tuesday');
  await bob.page.click('button.primary:text("Save")');
  await ann.page.locator('.dialog [role=alert]:has-text("bob has saved this meanwhile: It is")').waitFor();
  t.equal(await ann.page.locator('textarea').inputValue(), 'Written at the same time');
  await ann.page.click('button.primary:text("Save")');
  await entry(bob).locator('.note-text:has-text("Written at the same time")').waitFor();
  await world.call('PATCH', `/v6/failures/${group.job_type.id}/${group.error.id}/`, { is_known: false });
}

/** The overview lists failures that nobody has marked as known. */
async function writesNote(t: Test, { world, bob, visit }: People): Promise<void> {
  await visit('/');
  const { page } = bob;
  const entry = page.locator('.attention li:has-text("shared-broken")');
  await entry.locator('button:text("Mark as known…")').click();
  await page.locator('textarea:focus').fill('Half a sentence');
  const [group] = (await world.call('GET', '/v6/failures/?started=P1D')).json.results;
  const path = `/v6/failures/${group.job_type.id}/${group.error.id}/`;
  await world.call('PATCH', path, { is_known: true });
  await page.locator('.dialog [role=alert]:has-text("marked it as known meanwhile")').waitFor();
  t.equal(await page.locator('textarea').inputValue(), 'Half a sentence');
  await page.click('.dialog button:text("Close")');
  await entry.waitFor({ state: 'detached' });
  await world.call('PATCH', path, { is_known: false });
}

/** As long as its range begins with the same slot. The page has a clock of its own, which is turned on. */
async function asksNothing(t: Test, { world }: People, jobId: number): Promise<void> {
  const { page, troubles } = await openPage(t, world, '/console/jobs/', 'bob');
  let [asked, answered] = [0, 0];
  const isOfFailures = (one: { url(): string }) => one.url().includes('/v6/failures/');
  page.on('request', (request) => {
    if (isOfFailures(request)) asked += 1;
  });
  const count = (request: { url(): string }): void => {
    if (isOfFailures(request)) answered += 1;
  };
  page.on('requestfinished', count);
  page.on('requestfailed', count); // the page has canceled it, to read anew
  await page.clock.install({ time: Math.floor(Date.now() / SLOT_MS) * SLOT_MS });
  await page.goto(new URL('/console/errors/', world.url).href);
  const entry = page.locator('.attention li:has-text("shared-broken")');
  await entry.waitFor();
  await page.locator('.connection.live').waitFor();
  // What was missed before the connection is read then.
  await page.clock.runFor(10_000);
  await until('nothing is being read', async () => asked === answered);
  asked = 0;
  await page.clock.runFor(60_000);
  t.equal(asked, 0, 'nothing is polled');
  const { job_type, error } = (await world.call('GET', `/v6/jobs/${jobId}/`)).json;
  const note = { is_known: true, note: 'Seen at once' };
  const marked = await world.call('PATCH', `/v6/failures/${job_type.id}/${error.id}/`, note);
  t.equal(marked.status, 204);
  await entry.locator('.note-text:has-text("Seen at once")').waitFor();
  t.equal(asked, 1, 'the change of the note is in the stream');
  await world.call('PATCH', `/v6/failures/${job_type.id}/${error.id}/`, { is_known: false });
  t.strictSame(troubles, []);
}

async function editsType(t: Test, { world, ann, bob, visit }: People): Promise<void> {
  const path = '/v6/job-types/shared-broken/1.0.0/';
  await visit('/console/job-types/shared-broken/1.0.0/?tab=edit');
  const { container_image, manifest } = (await world.call('GET', path)).json;
  for (const { page } of [ann, bob])
    await page.locator('.type-text [role=status]:text-is("Valid")').waitFor();
  const write = async ({ page }: Watched, title: string): Promise<void> => {
    await page.locator('.cm-content').focus();
    await page.keyboard.press('Control+a');
    const job = { ...manifest.job, title };
    await page.keyboard.insertText(JSON.stringify({ container_image, manifest: { ...manifest, job } }));
  };
  await write(bob, 'Bob’s title');
  await write(ann, 'Ann’s title');
  await ann.page.locator('button.primary:has-text("Create revision 2"):not(:disabled)').click();
  await ann.page.waitForURL(/tab=revisions/);
  await bob.page.locator('[role=alert]:has-text("created revision 2 meanwhile")').waitFor();
  t.match(await bob.page.locator('.cm-content').textContent(), /Bob’s title/, 'what he wrote is still there');
  await bob.page.locator('button.primary:has-text("Create revision 3"):not(:disabled)').click();
  await bob.page.waitForURL(/tab=revisions/);
  await ann.page.locator('h1:has-text("Bob’s title")').waitFor();
  t.match((await world.call('GET', path)).json, { title: 'Bob’s title', revision_num: 3 });
}

async function changesJobs({ world, ann, bob, visit }: People, type: number): Promise<void> {
  const ids = await Promise.all(Array.from({ length: JOBS }, () => world.job(type)));
  await visit('/console/jobs/?type=shared-huge');
  // Both have counted before either sends.
  await ann.page.click('button:text("Cancel all found…")');
  await bob.page.click('button:text("Requeue all found…")');
  const cancel = ann.page.locator(`button.danger:text("Cancel ${JOBS} jobs"):enabled`);
  const requeue = bob.page.locator(`button.primary:text("Requeue ${JOBS} jobs"):enabled`);
  await Promise.all([cancel.waitFor(), requeue.waitFor()]);
  await Promise.all([cancel.click(), requeue.click()]);
  for (const { page } of [ann, bob]) await page.locator('.dialog').waitFor({ state: 'detached' });
  // In the order of the answers: all jobs end as the later request leaves them.
  const statuses = async (): Promise<readonly string[]> => {
    const { results } = (await world.call('GET', `/v6/jobs/?job_type_id=${type}`)).json;
    return results.map(({ status }: { status: string }) => status);
  };
  await until('both lists show all jobs alike, as the service has them', async () => {
    const [status = '', ...others] = [...new Set(await statuses())];
    if (others.length > 0) return false;
    const word = status === 'QUEUED' ? 'Queued' : 'Canceled';
    const shown = [ann, bob].map(({ page }) => page.locator(`.grid-body .status:text("${word}")`).count());
    return (await Promise.all(shown)).every((count) => count === JOBS);
  });
  await world.call('POST', '/v6/jobs/cancel/', { job_ids: ids });
}

/** Failed requests are what this is about: the tabs are not watched. */
async function lapsesInTab(t: Test, { world }: People): Promise<void> {
  const account = { username: 'dora', password: PASSWORD };
  const dora = await world.call('POST', '/v6/accounts/', account);
  t.equal(dora.status, 201);
  const { page: one } = await openPage(t, world, '/console/jobs/', 'dora');
  const other = await one.context().newPage();
  await other.goto(new URL('/console/recipes/', world.url).href);
  await other.locator('.connection.live').waitFor();
  // A password that staff sets ends the sessions of the account.
  const { id } = dora.json;
  const ended = await world.call('POST', `/v6/accounts/${id}/password/`, { password: PASSWORD });
  t.equal(ended.status, 204);
  await one.waitForURL(/\/login\/\?next=%2Fconsole%2Fjobs%2F/);
  await other.waitForURL(/\/login\/\?next=%2Fconsole%2Frecipes%2F/);
  await one.fill('#username', 'dora');
  await one.fill('#password', PASSWORD);
  await one.click('#enter');
  await one.waitForURL(new URL('/console/jobs/', world.url).href);
  await one.locator('.connection.live').waitFor();
}
