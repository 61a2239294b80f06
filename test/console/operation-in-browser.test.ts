/** The pages for operation in a real browser: nodes, queue, batches, scans, datasets, metrics, errors, accounts. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { until } from '../e2e/harness/until.ts';
import { needsBrowser } from '../support/browser.ts';
import { checkPages } from './checked-pages.ts';
import { type ConsoleWorld, HOSTILE, openPage, SETTLED, startConsole } from './console-world.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
type Json = any;

const PAGES = [
  ...['/', '/console/nodes/', '/console/nodes/1/', '/console/queue/', '/console/batches/'],
  ...['/console/batches/new/', '/console/scans/', '/console/scans/new/', '/console/datasets/'],
  ...['/console/datasets/new/', '/console/metrics/', '/console/errors/', '/console/accounts/'],
  ...['/console/tokens/', '/console/audit/', '/console/settings/'],
];

interface Operation {
  readonly world: ConsoleWorld;
  get(path: string): Promise<Json>;
  readonly nodeId: number;
  readonly broken: number;
  /** Two jobs of the broken type. */
  readonly failed: readonly number[];
  readonly dataset: number;
  /** Set by the tests that make them. */
  batch: number;
  scan: number;
}

t.test('console: pages for operators', needsBrowser(), async (t) => {
  const world = await startConsole(t);
  const get = async (path: string): Promise<Json> => (await world.call('GET', path)).json;
  const [nodeId] = (await get('/v6/nodes/')).results.map(({ id }: { id: number }) => id);
  const operation: Operation = { world, get, nodeId, ...(await filled(t, world)), batch: 0, scan: 0 };
  await t.test('a batch is previewed, created, followed and run again', (t) => makesBatches(t, operation));
  await t.test('a scan is created, and its page says why it waits', (t) => makesScan(t, operation));
  await t.test('a node is drained and resumed; the scheduler is paused and resumed', (t) =>
    drainsAndPauses(t, operation),
  );
  await t.test('the overview says why a strike does not watch', (t) => saysWhyItWaits(t, operation));
  await t.test('the queue says what each node lacks', (t) => saysWhatNodesLack(t, operation));
  await t.test('a failure is marked as known, with a note that others see; its jobs are requeued', (t) =>
    marksFailures(t, operation),
  );
  await t.test('a person saves, chooses and removes own filters', (t) => savesFilters(t, operation));
  await t.test('accounts and tokens are created, changed and revoked', (t) => changesAccounts(t, operation));
  await t.test('figures are chosen, compared and exported', (t) => exportsFigures(t, operation));
  await t.test('every filled page passes the checks of pages', (t) => checksFilled(t, operation));
  await t.test('an account that may only read is offered no action', (t) => readsOnly(t, operation));
});

/** Jobs that fail, complete and wait, a workspace out of reach, a recipe type and a dataset. */
async function filled(
  t: Test,
  world: ConsoleWorld,
): Promise<Pick<Operation, 'broken' | 'failed' | 'dataset'>> {
  const made = async (path: string, body: object): Promise<number> => {
    const { status, json } = await world.call('POST', path, body);
    t.equal(status, 201, JSON.stringify(json));
    return json.id;
  };
  const broken = await world.jobType('operation-broken', 'echo it broke >&2; exit 3');
  const failed = [await world.job(broken), await world.job(broken)];
  for (const id of failed) await world.status(id, 'FAILED');
  const fine = await world.jobType('operation-fine', 'sleep 0');
  await world.status(await world.job(fine), 'COMPLETED');
  const huge = await world.jobType('operation-huge', 'sleep 0', { mem: 9_000_000 });
  await world.job(huge);
  await made('/v6/workspaces/', {
    title: HOSTILE,
    name: 'nowhere',
    configuration: { broker: { type: 'host', host_path: '/nonexistent/place' } },
  });
  await made('/v6/recipe-types/', {
    title: HOSTILE,
    name: 'operation',
    definition: {
      input: { json: [{ name: 'NUMBER', type: 'integer' }] },
      nodes: {
        only: {
          dependencies: [],
          input: {},
          node_type: { node_type: 'job', job_type_name: 'operation-broken', job_type_version: '1.0.0' },
        },
      },
    },
  });
  const dataset = await made('/v6/datasets/', {
    title: HOSTILE,
    definition: { version: '7', parameters: { json: [{ name: 'NUMBER', type: 'integer' }] } },
    data: [1, 2, 3].map((NUMBER) => ({ files: {}, json: { NUMBER } })),
  });
  return { broken, failed, dataset };
}

async function makesBatches(t: Test, operation: Operation): Promise<void> {
  const { world, get, dataset } = operation;
  const { page, troubles } = await openPage(t, world, '/console/batches/');
  await page.click('a:text("New batch")');
  await page.getByLabel('Title').fill('Three numbers');
  await page.getByLabel('Recipe type').selectOption({ label: `${HOSTILE} (operation)` });
  await page.getByLabel('Dataset').selectOption(String(dataset));
  await page.locator('section[aria-label="Preview"] dd:text-is("3")').first().waitFor();
  await page.click('button:text("Create the batch")');
  await page.waitForURL(/\/console\/batches\/\d+\/$/);
  const batch = Number(/batches\/(\d+)/.exec(page.url())?.[1]);
  operation.batch = batch;
  t.match(await get(`/v6/batches/${batch}/`), { title: 'Three numbers', recipes_estimated: 3 });
  await page.locator('section[aria-label="Failures"] strong:has-text("3 jobs failed")').waitFor();
  await page.click('a:text("Run again…")');
  await page.locator('button[aria-pressed=true]:text("An earlier batch")').waitFor();
  await page.getByLabel('Run all nodes again, although nothing about them changed').check();
  await page.locator('section[aria-label="Preview"] dd:text-is("3")').first().waitFor();
  await page.click('button:text("Create the batch")');
  await page.waitForURL((url) => !url.href.includes('/new/'));
  await page.locator('section[aria-label="Comparison"] td:text-is("This batch")').waitFor();
  t.match(await get(`/v6/batches/${batch}/`), { is_superseded: true });
  // Later tests count failed jobs.
  await page.locator('section[aria-label="Failures"] strong:has-text("3 jobs failed")').waitFor();
  await page.locator('.page-head .status:has-text("Failed")').waitFor();
  await fitsPhone(page, ['Counts by node', 'Batches of the chain']);
  t.strictSame(troubles, []);
}

async function makesScan(t: Test, operation: Operation): Promise<void> {
  const { world, get } = operation;
  const { page, troubles } = await openPage(t, world, '/console/scans/new/');
  await page.getByLabel('Title').fill('Old files');
  await page.getByLabel('Workspace').selectOption({ label: `${HOSTILE} (nowhere)` });
  await page.getByLabel('File names').fill('(');
  await page.locator('.failure:has-text("It cannot be created")').waitFor();
  t.ok(await page.locator('button:text("Create the scan")').isDisabled());
  await page.getByLabel('File names').fill('.*');
  await page.locator('button:text("Create the scan"):enabled').click();
  await page.waitForURL(/\/console\/scans\/\d+\/$/);
  const scan = Number(/scans\/(\d+)/.exec(page.url())?.[1]);
  operation.scan = scan;
  await page.click('button:text("Dry run…")');
  await page.click('button:text("Start the dry run")');
  await page.locator('.note:has-text("reaches the workspace")').first().waitFor();
  t.not((await get(`/v6/scans/${scan}/`)).dry_run_job.status, 'PENDING');
  await page.click('button:text("Cancel…")');
  const said = 'The dry run stops at once. 0 ingests that are queued or running will be canceled.';
  await page.locator(`.dialog:has-text("${said}")`).waitFor();
  await page.click('button.danger:text("Cancel the scan")');
  await until('the scan is canceled', async () =>
    ['CANCELED'].includes((await get(`/v6/scans/${scan}/`)).dry_run_job.status),
  );
  t.strictSame(troubles, []);
}

async function drainsAndPauses(t: Test, operation: Operation): Promise<void> {
  const { world, get, nodeId } = operation;
  const { page, troubles } = await openPage(t, world, '/console/nodes/');
  await page.click('button:text("Drain…")');
  await page.getByLabel('Reason').fill(HOSTILE);
  await page.click('button.primary:text("Drain")');
  await page.locator('button:text("Resume…")').waitFor();
  t.match(await get(`/v6/nodes/${nodeId}/`), { is_paused: true, pause_reason: HOSTILE });
  // The overview reminds of it, with the reason, and resumes it.
  await page.goto(world.url);
  const reminder = page.locator('.attention li:has-text("is paused")');
  await reminder.locator('p:has-text("onerror")').waitFor();
  await reminder.locator('button:text("Resume…")').click();
  await page.click('.dialog button:text("Resume")');
  await reminder.waitFor({ state: 'detached' });
  t.match(await get(`/v6/nodes/${nodeId}/`), { is_paused: false });
  await page.goto(new URL('/console/nodes/', world.url).href);
  await page.click('button:text("Drain…")');
  await page.click('button.primary:text("Drain")');
  await page.click('button:text("Resume…")');
  await page.click('.dialog button.primary:text("Resume")');
  await page.locator('button:text("Drain…")').waitFor();
  t.match(await get(`/v6/nodes/${nodeId}/`), { is_paused: false });

  await page.goto(new URL('/console/queue/', world.url).href);
  await page.click('button:text("Pause the scheduler…")');
  await page.click('.dialog button.primary:text("Pause")');
  await page.locator('.status:has-text("Scheduler paused")').waitFor();
  t.match(await get('/v6/scheduler/'), { is_paused: true });
  // A button that moves while it is pressed is not clicked: nothing that comes late may push it down.
  const hasFiles = Promise.withResolvers<void>();
  await page.route('**/v6/files/?*', async (route) => {
    await hasFiles.promise;
    await route.continue();
  });
  await page.goto(world.url);
  const resume = page.locator('.attention button:text("Resume the scheduler…")');
  const place = await resume.boundingBox();
  hasFiles.resolve();
  await page.locator('.first-step').waitFor();
  t.strictSame(await resume.boundingBox(), place);
  await resume.click();
  await page.click('.dialog button.primary:text("Resume")');
  await until('the scheduler places jobs', async () => !(await get('/v6/scheduler/')).is_paused);
  await page.goto(new URL('/console/queue/', world.url).href);
  await page.click('button:text("Settings…")');
  await page.getByLabel('Order of jobs with the same priority').selectOption('LIFO');
  await page.click('button.primary:text("Save")');
  await until('the order is saved', async () => (await get('/v6/scheduler/')).queue_mode === 'LIFO');
  t.strictSame(troubles, []);
}

async function saysWhyItWaits(t: Test, { world }: Operation): Promise<void> {
  const job = { node_type: 'job', job_type_name: 'operation-fine', job_type_version: '1.0.0' };
  const definition = {
    input: { files: [{ name: 'FILE' }] },
    nodes: { only: { dependencies: [], input: {}, node_type: job } },
  };
  await world.call('POST', '/v6/recipe-types/', { title: 'Of files', name: 'of-files', definition });
  const strike = await world.call('POST', '/v6/strikes/', {
    ...{ name: 'waiting', title: 'Waiting' },
    configuration: {
      ...{ workspace: 'nowhere', monitor: { type: 'dir-watcher' }, recipe: { name: 'of-files' } },
      files_to_ingest: [{ filename_regex: '.*' }],
    },
  });
  t.equal(strike.status, 201, JSON.stringify(strike.json));
  const { page, troubles } = await openPage(t, world);
  const row = page.locator('section[aria-label=Strikes] tr:has-text("Waiting")');
  await row.locator('p:has-text("No node reaches its workspace")').waitFor();
  t.strictSame(troubles, []);
}

async function saysWhatNodesLack(t: Test, operation: Operation): Promise<void> {
  const { world } = operation;
  const { page, troubles } = await openPage(t, world, '/console/queue/');
  const row = page.locator('tr:has-text("operation-huge")');
  await page.locator('tr:has-text("operation-huge") + tr > .bad:has-text("of memory")').waitFor();
  await row.locator('button:text("Why")').click();
  await page.locator('.causes:has-text("mem")').waitFor();
  await fitsPhone(page, ['Classes of jobs']);
  await page.click('a:text("Waiting for input")');
  await page.waitForURL('**/console/jobs/?waits_for=input');
  t.strictSame(troubles, []);
}

/** All of these tables is in sight: none scrolls sideways. */
async function fitsPhone(page: Page, tables: readonly string[]): Promise<void> {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const label of tables) {
    const beyond = `((table) => table.scrollWidth - table.clientWidth)(
      document.querySelector('section.wide[aria-label="${label}"]'))`;
    // The window has its new width some frames later.
    await until(`'${label}' fits a phone`, async () => Number(await page.evaluate(beyond)) <= 0);
  }
  await page.setViewportSize({ width: 1_280, height: 860 });
}

async function marksFailures(t: Test, operation: Operation): Promise<void> {
  const { world, get, broken, failed } = operation;
  const { page, troubles } = await openPage(t, world);
  const entry = page.locator('.attention li:has-text("operation-broken")');
  await entry.locator('button:text("Mark as known…")').click();
  await page.locator('textarea:focus').waitFor();
  await page.keyboard.type(HOSTILE);
  await page.click('button.primary:text("Save")');
  await entry.waitFor({ state: 'detached' });
  const [group] = (await get('/v6/failures/?is_known=true')).results;
  t.match(group, { is_known: true, note: HOSTILE, noted_by: 'admin', job_type: { id: broken } });

  await page.goto(new URL('/console/errors/?known=true', world.url).href);
  const known = page.locator('.attention li:has-text("operation-broken")');
  await known.locator('.note-text:has-text("onerror")').waitFor();
  await known.locator('button:text("Requeue…")').click();
  // Jobs of a superseded batch failed as well, and are not tried again.
  const choice = { status: 'FAILED', job_type_ids: [broken] };
  const preview = await world.call('POST', '/v6/jobs/requeue/?dry_run=true', choice);
  await page.locator(`.dialog button.primary:text("Requeue ${preview.json.job_count} jobs")`).click();
  await until('a job is tried again', async () => (await get(`/v6/jobs/${failed[0]}/`)).num_exes > 1);
  t.not(await page.title(), '1', 'a note stays a text');
  t.strictSame(troubles, []);
}

async function savesFilters(t: Test, operation: Operation): Promise<void> {
  const { world, get } = operation;
  const { page, troubles } = await openPage(t, world, '/console/jobs/?status=FAILED&type=operation-broken');
  await page.click('button:text("Save filter…")');
  await page.getByLabel('Name').fill('Broken');
  await page.click('button.primary:text("Save")');
  await page.locator('button:text("Remove saved filter…")').waitFor();
  const [filter] = (await get('/v6/saved-filters/')).results;
  t.match(filter, { list: 'jobs', title: 'Broken', search: 'status=FAILED&type=operation-broken' });
  await page.goto(new URL('/console/jobs/', world.url).href);
  await page.getByLabel('Saved').selectOption('Broken');
  await page.waitForURL(/status=FAILED&type=operation-broken/);
  await page.click('button:text("Remove saved filter…")');
  await page.click('.dialog button.primary:text("Remove")');
  await until('it is removed', async () => (await get('/v6/saved-filters/')).count === 0);
  t.strictSame(troubles, []);
}

async function changesAccounts(t: Test, operation: Operation): Promise<void> {
  const { world, get } = operation;
  const { page, troubles } = await openPage(t, world, '/console/accounts/');
  await page.click('button:text("New account…")');
  await page.getByLabel('Name').fill('reader');
  await page.getByLabel('Password').fill('a-password-of-tests');
  await page.click('button:text("Create the account")');
  await page.locator('tbody tr:has-text("reader")').waitFor();
  await page.locator('tbody tr:has-text("reader") button:text("Edit…")').click();
  await page.getByLabel('E-mail').fill('reader@example.com');
  await page.click('button.primary:text("Save")');
  await until(
    'the account is changed',
    async () => (await get('/v6/accounts/?username=reader')).results[0]?.email === 'reader@example.com',
  );

  await page.goto(new URL('/console/tokens/', world.url).href);
  await page.click('button:text("New token…")');
  await page.getByLabel('For').fill(HOSTILE);
  await page.click('button:text("Create the token")');
  const token = await page.locator('.secret').textContent();
  t.match(token, /^mlr_/);
  await page.click('.dialog button:text("Close")');
  await page.click('button:text("Revoke…")');
  await page.click('button.danger:text("Revoke the token")');
  await page.locator('.status:has-text("Revoked")').waitFor();
  t.not((await get('/v6/tokens/')).results[0].revoked, null);
  t.strictSame(troubles, []);

  await page.goto(new URL('/console/audit/?method=DELETE', world.url).href);
  await page.locator('tbody tr:has-text("/v6/tokens/")').waitFor();
}

async function exportsFigures(t: Test, operation: Operation): Promise<void> {
  const { world } = operation;
  const { page, troubles } = await openPage(t, world, '/console/metrics/');
  await page.locator('.plot canvas').first().waitFor();
  // The address holds what is checked: a box follows it a moment after the click.
  const choose = async (name: string) => {
    await page.getByRole('checkbox', { name }).click();
    await page.getByRole('checkbox', { name, checked: true }).waitFor();
  };
  await choose('Total Count');
  await page.waitForURL(/column=total_count/);
  await page.locator('section[aria-label="Total Count"] canvas').waitFor();
  await choose('operation-fine');
  const held = Promise.withResolvers<void>();
  await page.route('**/plot-data/?*', async (route) => {
    await held.promise;
    await route.continue();
  });
  await choose('operation-broken');
  await page.locator('button:disabled:text("Export as CSV")').waitFor();
  held.resolve();
  await page.locator('section[aria-label="Completed Count"] .plot-key:has-text("operation-fine")').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.click('button:text("Export as CSV")'),
  ]);
  const text = readFileSync((await download.path()) ?? '', 'utf8');
  t.match(text, /^hour,column,units,choice,value\r\n/);
  t.match(text, /completed_count,count,operation-fine 1\.0\.0,1\r\n/);
  t.strictSame(troubles, []);
}

async function checksFilled(t: Test, operation: Operation): Promise<void> {
  const { world, nodeId, dataset, batch, scan } = operation;
  const paths = PAGES.map((path) => path.replace('/1/', `/${nodeId}/`));
  const details = [`/console/batches/${batch}/`, `/console/scans/${scan}/`, `/console/datasets/${dataset}/`];
  await checkPages(t, world, [...paths, ...details]);
}

async function readsOnly(t: Test, operation: Operation): Promise<void> {
  const { world, batch } = operation;
  const { page, troubles } = await openPage(t, world, '/console/nodes/', 'reader');
  await page.locator('tbody tr').first().waitFor();
  const offered = () =>
    page
      .locator('main button')
      .filter({ hasText: /Drain|Pause|Settings|New|Requeue|Cancel|Delete|Mark|Run again/ })
      .count();
  for (const path of ['/console/nodes/', '/console/queue/', '/', `/console/batches/${batch}/`]) {
    await page.goto(new URL(path, world.url).href);
    await page.locator(SETTLED).waitFor({ state: 'attached' });
    t.equal(await offered(), 0, path);
  }
  await page.goto(new URL('/console/audit/', world.url).href);
  await page.locator('.empty:has-text("Only staff can see the audit")').waitFor();
  t.strictSame(troubles, []);
}
