/** Forms in a real browser: a directory is watched from pages that are empty, and a job type gets a revision. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { needsBrowser } from '../../support/browser.ts';
import { type ConsoleWorld, openPage, startConsole } from '../console-world.ts';

const INPUT = { files: [{ name: 'FILE', required: true }] };
const OUTPUT = { files: [{ name: 'OUT', pattern: '*.out' }] };
const JOB = {
  ...{ name: 'copies', jobVersion: '1.0.0', packageVersion: '1.0.0', title: 'Copies', description: '' },
  ...{ maintainer: { name: 'Ann', email: 'ann@example.com' }, timeout: 60 },
  interface: { command: 'true', inputs: { files: [{ name: 'FILE' }] }, outputs: OUTPUT },
};
const documentOf = (title: string) => ({
  container_image: 'process:default',
  manifest: { seedVersion: '1.0.0', job: { ...JOB, title } },
});
const COPY = {
  dependencies: [],
  input: { FILE: { type: 'recipe', input: 'FILE' } },
  node_type: { node_type: 'job', job_type_name: 'copies', job_type_version: '1.0.0' },
};

/** Two recipe types that take a file, and their job type. Resolves with its configuration, which has a workspace. */
async function createTypes(t: Test, world: ConsoleWorld) {
  const make = async (path: string, body: object) => {
    const { json, status } = await world.call('POST', path, body);
    t.equal(status, 201, JSON.stringify(json));
    return json;
  };
  const broker = { type: 'host', host_path: world.folder };
  const { name } = await make('/v6/workspaces/', { title: 'Results', configuration: { broker } });
  const configuration = { output_workspaces: { default: name, outputs: {} } };
  await make('/v6/job-types/', { ...documentOf('Copies'), configuration });
  for (const title of ['First', 'Second']) {
    await make('/v6/recipe-types/', { title, definition: { input: INPUT, nodes: { copy: COPY } } });
  }
  return configuration;
}

/** Fills the form of an empty page. Resolves with the name of the recipe type that the new strike starts. */
async function watchFrom(t: Test, world: ConsoleWorld, path: string, choice?: string): Promise<string> {
  const directory = join(world.folder, `watched-${path.replaceAll('/', '-')}`);
  mkdirSync(directory);
  const { page, troubles } = await openPage(t, world, path);
  const form = page.locator('.first-step .watch-form');
  await form.getByLabel('Directory', { exact: true }).fill(directory);
  const choices = form.getByLabel('Recipe for each file');
  if (choice === undefined) t.equal(await choices.count(), 0, 'nothing is to be chosen');
  else await choices.selectOption(choice);
  await form.locator('button:text-is("Watch")').click();
  await page.waitForURL(/\/console\/strikes\/\d+\//);
  const [, id] = /(\d+)\/$/.exec(page.url()) ?? [];
  const { configuration } = (await world.call('GET', `/v6/strikes/${id}/`)).json;
  const found = await world.call('GET', `/v6/workspaces/?name=${configuration.workspace}`);
  const made = await world.call('GET', `/v6/workspaces/${found.json.results[0].id}/`);
  t.equal(made.json.configuration.broker.host_path, directory);
  t.strictSame(troubles, []);
  return configuration.recipe.name;
}

t.test('forms in a browser', needsBrowser(), async (t) => {
  const world = await startConsole(t);
  const configuration = await createTypes(t, world);

  await t.test('without jobs, their list can watch a directory', async (t) => {
    const { page, troubles } = await openPage(t, world, '/console/jobs/');
    const types = page.locator('.first-step .watch-form').getByLabel('Recipe for each file');
    await types.waitFor();
    const titles = await types.locator('option').allTextContents();
    t.strictSame(titles, ['First (first)', 'Second (second)'], 'types of diagnostics take no file');
    t.strictSame(troubles, []);
  });

  await t.test('without strikes, the overview watches a directory', async (t) => {
    t.equal(await watchFrom(t, world, '/', 'first'), 'first');
  });

  await t.test('without recipes, their list watches a directory for the type that is chosen', async (t) => {
    t.equal(await watchFrom(t, world, '/console/recipes/', 'second'), 'second');
  });

  await t.test('without recipes, the page of a type watches a directory for it', async (t) => {
    t.equal(await watchFrom(t, world, '/console/recipe-types/first/'), 'first');
  });

  await t.test('a revision of a job type keeps the workspaces of its outputs', async (t) => {
    const { page, troubles } = await openPage(t, world, '/console/job-types/copies/1.0.0/?tab=edit');
    await page.locator('.type-text [role=status]:text-is("Valid")').waitFor();
    await page.locator('.cm-content').focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(JSON.stringify(documentOf('Copies files')));
    await page.locator('button.primary:has-text("Create revision 2"):not(:disabled)').click();
    await page.waitForURL(/tab=revisions/);
    const { json } = await world.call('GET', '/v6/job-types/copies/1.0.0/');
    t.match(json, { title: 'Copies files', revision_num: 2, configuration });
    t.strictSame(troubles, []);
  });

  await t.test('text that is no JSON has no problems of the text before it', async (t) => {
    const { page, troubles } = await openPage(t, world, '/console/new-recipe-type/');
    const replace = async (text: string) => {
      await page.locator('.cm-content').focus();
      await page.keyboard.press('Control+a');
      await page.keyboard.insertText(text);
    };
    await page.locator('.type-text [role=status]').waitFor();
    await replace('{"title": ""}');
    await page.locator('.type-text .problems li').first().waitFor();
    await replace('{"title" "x"}');
    await page.locator('.type-text [role=status]:text-is("Not a JSON object")').waitFor();
    t.equal(await page.locator('.type-text .problems li').count(), 0);
    t.strictSame(troubles, []);
  });

  await t.test('a workspace is created alone, and its list says that no node reaches it', async (t) => {
    const { page, troubles } = await openPage(t, world, '/console/workspaces/');
    await page.click('button:text("New workspace…")');
    await page.getByLabel('Title').fill('Old archive');
    await page.getByLabel('Directory').fill('relative');
    await page.click('button:text("Create the workspace")');
    await page.locator('.field .bad:has-text("must be absolute")').waitFor();
    await page.getByLabel('Directory').fill(join(world.folder, 'missing'));
    await page.click('button:text("Create the workspace")');
    await page.locator('tbody tr:has-text("Old archive") .status:has-text("Out of reach")').waitFor();
    const listed = await world.call('GET', '/v6/workspaces/?name=old-archive');
    const { json } = await world.call('GET', `/v6/workspaces/${listed.json.results[0].id}/`);
    t.match(json.configuration, { broker: { type: 'host', host_path: join(world.folder, 'missing') } });
    t.strictSame(
      troubles.filter((one) => !/\b400\b/.test(one)),
      [],
      'nothing but the refusal of the first attempt',
    );
  });

  await t.test('a workspace at which nothing looks is watched from its page', async (t) => {
    const found = await world.call('GET', '/v6/workspaces/?name=results');
    const [workspace] = found.json.results;
    const { page, troubles } = await openPage(t, world, `/console/workspaces/${workspace.id}/?path=a.txt`);
    await page.locator('.causes button:text("Watch it…")').click();
    const dialog = page.locator('.dialog');
    t.equal(await dialog.getByLabel('Directory', { exact: true }).count(), 0, 'its place is known');
    await dialog.getByLabel('Recipe for each file').selectOption('first');
    await dialog.locator('button:text-is("Watch")').click();
    await page.waitForURL(/\/console\/strikes\/\d+\//);
    const [, id] = /(\d+)\/$/.exec(page.url()) ?? [];
    const { configuration } = (await world.call('GET', `/v6/strikes/${id}/`)).json;
    t.match(configuration, { workspace: 'results', recipe: { name: 'first' } });
    t.strictSame(troubles, []);
  });
});
