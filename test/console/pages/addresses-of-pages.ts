/** The addresses of all pages that the console routes. */
import type { Test } from 'tap';
import { CONSOLE_PATHS } from '../../../src/api/console/console-routes.ts';
import { until } from '../../e2e/harness/until.ts';
import type { ConsoleWorld } from '../console-world.ts';
import { RECIPE, watchFiles } from '../file-world.ts';

type Path = (typeof CONSOLE_PATHS)[number];
type ObjectPath = Extract<Path, `${string}{${string}`>;

const isOfObject = (path: Path): path is ObjectPath => path.includes('{');

const LIST_PAGES = CONSOLE_PATHS.filter((path) => !isOfObject(path));

/** Those that need no object but a node, which is there from the start. */
export async function emptyPages(world: ConsoleWorld): Promise<readonly string[]> {
  return [...LIST_PAGES, `/console/nodes/${await idOf(world, '/v6/nodes/')}/`];
}

/** All, after an object of each kind was made: those of lists and forms, and those of objects. */
export async function filledPages(
  t: Test,
  world: ConsoleWorld,
): Promise<{ readonly lists: readonly string[]; readonly objects: readonly string[] }> {
  return { lists: LIST_PAGES, objects: Object.values(await addressesOf(t, world)) };
}

/** The id of the first object of a list. */
async function idOf(world: ConsoleWorld, list: string): Promise<number> {
  return (await world.call('GET', list)).json.results[0].id;
}

/** A page of each object: without an entry for each path this does not pass the check of types. */
async function addressesOf(t: Test, world: ConsoleWorld): Promise<Readonly<Record<ObjectPath, string>>> {
  const make = async (path: string, body: object): Promise<number> => {
    const { status, json } = await world.call('POST', path, body);
    t.equal(status, 201, JSON.stringify(json));
    return json.id;
  };
  const files = await watchFiles(world);
  const file = await files.arrive('one.txt', 'one');
  await files.products(file, 2);
  const failed = await world.job(await world.jobType('pages-broken', 'echo it broke >&2; exit 3'));
  await world.status(failed, 'FAILED');
  const dataset = await make('/v6/datasets/', {
    title: 'One file',
    definition: { version: '7', parameters: { files: [{ name: 'FILE' }] } },
    data: [{ files: { FILE: [file] } }],
  });
  const batch = await make('/v6/batches/', {
    title: 'One file again',
    recipe_type_id: files.recipeTypeId,
    definition: { dataset },
  });
  const scan = await make('/v6/scans/', {
    ...{ name: 'old-files', title: 'Old files' },
    configuration: {
      ...{ workspace: 'arrivals', scanner: { type: 'dir' }, recursive: true },
      ...{ files_to_ingest: [{ filename_regex: '.*' }], recipe: { name: RECIPE } },
    },
  });
  for (const previous of [null, 'dry_run']) {
    await world.call('POST', `/v6/scans/${scan}/process/`, {});
    await until('the dry run is completed', async () => {
      const { counts, previous_counts: before } = (await world.call('GET', `/v6/scans/${scan}/`)).json;
      return typeof counts?.ended === 'string' && (before?.mode ?? null) === previous;
    });
  }
  return {
    '/console/jobs/{id}/': `/console/jobs/${failed}/`,
    '/console/files/{id}/': `/console/files/${file}/`,
    '/console/nodes/{id}/': `/console/nodes/${await idOf(world, '/v6/nodes/')}/`,
    '/console/batches/{id}/': `/console/batches/${batch}/`,
    '/console/scans/{id}/': `/console/scans/${scan}/`,
    '/console/datasets/{id}/': `/console/datasets/${dataset}/`,
    '/console/arrivals/{id}/': `/console/arrivals/${await idOf(world, '/v6/ingests/')}/`,
    '/console/strikes/{id}/': `/console/strikes/${files.strikeId}/`,
    '/console/workspaces/{id}/': `/console/workspaces/${await idOf(world, '/v6/workspaces/')}/`,
    '/console/recipes/{id}/': `/console/recipes/${await idOf(world, '/v6/recipes/')}/`,
    '/console/recipe-types/{name}/': `/console/recipe-types/${RECIPE}/`,
    '/console/job-types/{name}/{version}/': '/console/job-types/copy/1.0.0/',
  };
}
