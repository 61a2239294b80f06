/** A job type is tried with one file on its page, and followed there to its products. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { needsBrowser } from '../support/browser.ts';
import { folderSeenByTasks } from '../support/seen-by-tasks.ts';
import { axeFindings } from './axe.ts';
import { checkPages } from './checked-pages.ts';
import { type ConsoleWorld, HOSTILE, openPage, startConsole } from './console-world.ts';
import { watchFiles } from './file-world.ts';

const pageOf = (name: string) => `/console/job-types/${name}/1.0.0/?tab=try`;

async function createType(world: ConsoleWorld, name: string, script: string): Promise<void> {
  const { status, json } = await world.call('POST', '/v6/job-types/', {
    container_image: 'process:default',
    configuration: { output_workspaces: { default: 'products' } },
    manifest: {
      seedVersion: '1.0.0',
      job: {
        ...{ name, jobVersion: '1.0.0', packageVersion: '1.0.0', title: name, description: HOSTILE },
        ...{ maintainer: { name: 'Ann', email: 'ann@example.com' }, timeout: 600 },
        interface: {
          command: `sh -c '${script}'`,
          inputs: {
            files: [{ name: 'TEXT' }],
            json: [{ name: 'LIMIT', type: 'integer', required: false }],
          },
          outputs: { files: [{ name: 'LINES', pattern: '*.txt', required: false }] },
        },
      },
    },
  });
  if (status !== 201) throw new Error(JSON.stringify(json));
}

const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const run = (page: Page) => page.locator('button.primary:has-text("Run it once"):not(:disabled)');
const status = (page: Page, text: string) =>
  page.locator(`section[aria-label=Trial] .status:has-text("${text}")`);

interface Shown {
  readonly world: ConsoleWorld;
  readonly fileId: number;
}

async function tries(t: Test, { world, fileId }: Shown): Promise<void> {
  const folder = folderSeenByTasks('millrace-trial-');
  t.teardown(() => rmSync(folder, { recursive: true }));
  const gate = join(folder, 'gate');
  await createType(
    world,
    'counting',
    `echo "<img src=x> begun $LIMIT"; while [ ! -e ${gate} ]; do sleep 0.1; done; ` +
      'wc -l <"$TEXT" >"$OUTPUT_DIR/lines.txt"; echo ended',
  );
  const before = (await world.call('GET', '/v6/jobs/')).json.count;
  const { page, troubles } = await openPage(t, world, pageOf('counting'));
  await field(page, 'TEXT').fill('no-such.txt');
  await page.locator('.field:has-text("No recorded file has this name or id")').waitFor();
  t.equal(await run(page).count(), 0);
  await field(page, 'TEXT').fill('notes.txt');
  await page.locator(`.field:has-text("File ${fileId}, notes.txt, 8 B, in arrivals")`).waitFor();
  await field(page, 'LIMIT').fill('many');
  await page.locator('.field:has-text("This is no JSON of type integer")').waitFor();
  t.equal(await run(page).count(), 0);
  await field(page, 'LIMIT').fill('42');
  await run(page).click();

  await status(page, 'Running').waitFor();
  await page.locator('.log-line:has-text("<img src=x> begun 42")').waitFor();
  t.equal(await page.locator('main img').count(), 0, 'a text stays a text');
  writeFileSync(gate, '');
  await status(page, 'Completed').waitFor();
  await page.locator('.log-line:has-text("ended")').waitFor();
  const product = page.locator('section[aria-label=Products] tbody tr:has-text("lines.txt"):has-text("2 B")');
  await product.waitFor();
  t.match(await product.textContent(), 'LINES');
  for (const theme of ['light', 'dark']) {
    await page.evaluate(`document.documentElement.setAttribute('data-theme', '${theme}')`);
    t.strictSame(await axeFindings(page), [], theme);
  }

  const path = await page.locator('section[aria-label=Trial] h2 a').getAttribute('href');
  const job = (await world.call('GET', `/v6/jobs/${/\d+/.exec(path ?? '')?.[0]}/`)).json;
  t.match(job, { status: 'COMPLETED', input: { files: { TEXT: [fileId] }, json: { LIMIT: 42 } } });
  t.equal((await world.call('GET', '/v6/jobs/')).json.count, before, 'no list has it');
  t.strictSame(troubles, []);
}

async function fails(t: Test, { world, fileId }: Shown): Promise<void> {
  const folder = folderSeenByTasks('millrace-trial-');
  t.teardown(() => rmSync(folder, { recursive: true }));
  const gate = join(folder, 'gate');
  const script = `echo begun; while [ ! -e ${gate} ]; do sleep 0.1; done; echo "it broke" >&2; exit 7`;
  await createType(world, 'failing', script);
  const stream = (page: Page, name: string) => page.locator(`.log [aria-pressed=true]:text-is("${name}")`);
  const { page, troubles } = await openPage(t, world, pageOf('failing'));
  await field(page, 'TEXT').fill(String(fileId));
  await page.locator('.field:has-text("notes.txt")').waitFor();
  await run(page).click();
  await stream(page, 'stdout').waitFor();
  await page.locator('.log-line:has-text("begun")').waitFor();
  const path = await page.locator('section[aria-label=Trial] h2 a').getAttribute('href');
  const other = await openPage(t, world, path ?? '');
  await other.page.locator('.log button:text-is("stdout")').click();
  writeFileSync(gate, '');
  await status(page, 'Failed').waitFor();
  await page.locator('.why li:has-text("7")').first().waitFor();
  await stream(page, 'stderr').waitFor();
  await page.locator('.log-line:has-text("it broke")').waitFor();
  await page.locator('section[aria-label=Products]:has-text("only when the job completes")').waitFor();
  await other.page.locator('.page-head .status:has-text("Failed")').waitFor();
  t.equal(await stream(other.page, 'stdout').count(), 1, 'a stream that was chosen stays');
  t.strictSame([...troubles, ...other.troubles], []);
}

async function readsOnly(t: Test, { world }: Shown): Promise<void> {
  const account = { username: 'reader', password: 'a-password-of-tests', is_staff: false };
  t.equal((await world.call('POST', '/v6/accounts/', account)).status, 201);
  const { page, troubles } = await openPage(t, world, pageOf('counting'), 'reader');
  await page.locator('.tabs a:has-text("Revisions")').waitFor();
  t.strictSame(await page.locator('.tabs a').allTextContents(), ['Manifest', 'Revisions']);
  t.equal(await page.locator('section[aria-label="Try it"]').count(), 0);
  t.strictSame(troubles, []);
}

t.test('trials of job types in a browser', needsBrowser(), async (t) => {
  const world = await startConsole(t);
  const files = await watchFiles(world);
  const fileId = await files.arrive('notes.txt', 'one\ntwo\n');
  await files.products(fileId, 2);
  const shown = { world, fileId };

  await t.test('a job type is tried with a file, and followed to its products', (t) => tries(t, shown));
  await t.test('a trial that fails says why, in the log of its errors as well', (t) => fails(t, shown));
  await t.test('the page has no finding of axe-core, and fits a phone', (t) =>
    checkPages(t, world, [pageOf('counting')]),
  );
  await t.test('an account that may only read is offered no trial', (t) => readsOnly(t, shown));
});
