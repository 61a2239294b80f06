/**
 * Documents of calls that take up to 1 MiB, with as many entries as each of their lists and maps may have. They are
 * within the limit of parts, and accepted under both prefixes; one rule or name more is refused.
 */
import t from 'tap';
import { scanJson } from '../../../src/domain/document/json-scan.ts';
import { BODY_BYTES_MAX, MANY_PARTS_MAX } from '../../../src/http/body/limits.ts';
import { migratedDatabase } from '../../support/db.ts';
import { clientOf, createWorld } from '../harness/world.ts';
import { Sender } from './sender.ts';

const ENTRIES = 1_000;
/** Less would say that a document is not as full as it may be. */
const PARTS_MIN = 46_000;

const each = <T>(make: (at: number) => T): T[] => Array.from({ length: ENTRIES }, (_, at) => make(at));
const mapOf = <T>(prefix: string, make: (at: number) => T) =>
  Object.fromEntries(each((at) => [`${prefix}${at}`, make(at)]));

/** A job type with every field of every entry. */
function fullestJobType(name: string, workspace: string) {
  const required = false;
  const manifest = {
    seedVersion: '1.0.0',
    job: {
      ...{ name, jobVersion: '1.0.0', packageVersion: '1.0.0', title: name, description: '', timeout: 60 },
      maintainer: { name: 'Millrace', email: 'tests@example.com' },
      tags: each((at) => `t${at}`),
      resources: { scalar: each((at) => ({ name: `r${at}`, value: 1, inputMultiplier: 0 })) },
      interface: {
        command: 'true',
        inputs: {
          files: each((at) => ({
            ...{ name: `f${at}`, required, mediaTypes: ['a/b'], multiple: true, partial: true },
          })),
          json: each((at) => ({ name: `j${at}`, type: 'string', required })),
        },
        outputs: {
          files: each((at) => ({
            ...{ name: `o${at}`, pattern: '*', mediaType: 'a/b', multiple: true, required },
          })),
          json: each((at) => ({ name: `k${at}`, type: 'string', key: 'k', required })),
        },
        mounts: each((at) => ({ name: `m${at}`, path: `/m/${at}`, mode: 'ro' })),
        settings: each((at) => ({ name: `s${at}`, secret: false })),
      },
      errors: each((at) => ({
        ...{ code: at + 1, name: `e${at}`, title: 'e', description: 'e', category: 'job' },
      })),
    },
  };
  const configuration = {
    mounts: mapOf('m', () => ({ type: 'volume', driver: 'd', driver_opts: { o: '1' } })),
    output_workspaces: { default: workspace, outputs: mapOf('o', () => workspace) },
    settings: mapOf('s', () => '1'),
  };
  return { container_image: 'process:default', manifest, configuration };
}

const LABELS = Array.from({ length: 100 }, (_, at) => `l${at}`);
/** A rule with every field, and as many labels as it may have. */
const RULE = { filename_regex: '.*', match: 'name', data_types: LABELS, new_file_path: 'new' };
const RULES = each(() => RULE);

/** Where rules are tried on names, and how the files are found there. */
const FINDERS = [
  ['scans', { scanner: { type: 'dir' } }],
  ['strikes', { monitor: { type: 'dir-watcher' }, recipe: { name: 'full' } }],
] as const;

t.test('fullest documents: lists and maps with the most permitted entries are accepted', async (t) => {
  const world = await createWorld(t);
  const databaseUrl = await migratedDatabase(t);
  const program = await world.start('coordinator', 'coordinator', { DATABASE_URL: databaseUrl });
  const { name: workspace } = await clientOf(program).post<{ name: string }>('/v6/workspaces/', {
    title: 'W',
    configuration: { broker: { type: 'host', host_path: world.at.arrivals } },
  });
  await clientOf(program).post('/v6/recipe-types/', {
    title: 'Full',
    definition: { input: { files: [{ name: 'FILE' }] }, nodes: {} },
  });
  const sender = new Sender(program.url);
  t.teardown(() => sender.close());
  for (const prefix of ['', '/api']) {
    const jobType = fullestJobType(`full${prefix.replace('/', '-')}`, workspace);
    const bytes = Buffer.from(JSON.stringify(jobType));
    t.ok(bytes.length <= BODY_BYTES_MAX, `${bytes.length} bytes`);
    t.match(scanJson(bytes, PARTS_MIN), { description: /parts/ }, 'it is as full as it may be');
    t.equal(scanJson(bytes, MANY_PARTS_MAX), undefined);
    const made = await sender.send({ method: 'POST', target: `${prefix}/v6/job-types/`, body: jobType });
    t.equal(made.status, 201, made.text.slice(0, 500));
    for (const [collection, finder] of FINDERS) {
      const send = (target: string, body: unknown) =>
        sender.send({ method: 'POST', target: `${prefix}/v6/${collection}/${target}`, body });
      const body = (files_to_ingest: readonly object[]) => ({
        ...{ title: 'Full', configuration: { workspace, ...finder, files_to_ingest } },
      });
      const found = await send('', body(RULES));
      t.equal(found.status, 201, found.text.slice(0, 500));
      t.equal(found.json.configuration?.files_to_ingest[ENTRIES - 1].data_types.length, 100);
      const refused = await send('', body([...RULES, RULE]));
      t.match(refused, { status: 400, text: /configuration.files_to_ingest"/ }, refused.text.slice(0, 500));
      const names = each((at) => `f${at}`);
      const tried = await send(`${found.json.id}/test/`, { names });
      t.equal(tried.status, 200, tried.text.slice(0, 500));
      const more = await send(`${found.json.id}/test/`, { names: [...names, 'one'] });
      t.match(more, { status: 400, json: { errors: [{ path: 'names' }] } });
    }
  }
});
