/**
 * A create is answered from memory. Nothing happens to the jobs of these tests, so a read finds the very same record.
 */
import t, { type Test } from 'tap';
import { jobTypeBody, type ProcessingWorld, processingWorld } from '../../support/worlds/processing-world.ts';

const OPEN = {
  files: ['LEFT', 'RIGHT'].map((name) => ({ name, required: false, multiple: true, mediaTypes: [] })),
  json: ['number', 'object'].map((type) => ({ name: type.toUpperCase(), type, required: false })),
};

/** A job type that takes all kinds of input; its id. */
async function openType(world: ProcessingWorld, name: string): Promise<number> {
  const outputs = { files: [], json: [] };
  const settings = [{ name: 'LEVEL', secret: false }];
  const body = jobTypeBody({ name, interface: { command: 'run', inputs: OPEN, outputs, settings } });
  const made = await world.post('/v6/job-types/', {
    ...body,
    configuration: { settings: { LEVEL: 'high' } },
  });
  if (made.status !== 201) throw new Error(made.text);
  return made.json.id;
}

/** Creates a job, and resolves with the answer. */
async function sameAsRead(t: Test, world: ProcessingWorld, path: string, body: object) {
  const made = await world.post(path, body);
  t.equal(made.status, 201, made.text);
  const read = await world.get(`/v6/jobs/${made.json.id}/`);
  t.strictSame(made.json, read.json);
  return made.json;
}

t.test('the answer to a new job is what a read finds', async (t) => {
  const world = await processingWorld(t);
  const job_type_id = await openType(world, 'open');
  const first = await world.file({ fileName: 'first.txt', size: 1 });
  const second = await world.file({ fileName: 'second ‮.txt', size: 2 ** 40 });
  const dated = `update file set source_started = '2026-01-02T03:04:05.678Z', source_sensor = 'left' where id = $1`;
  await world.store.rows(dated, [first]);
  const create = (input: object, more: object = {}) =>
    sameAsRead(t, world, '/v6/jobs/', { job_type_id, input, ...more });

  await create({});
  await create({ files: { RIGHT: [first] } });
  const twice = await create({ files: { RIGHT: [second, first], LEFT: [second, second] }, json: {} });
  t.strictSame(twice.input_files, { LEFT: ['second ‮.txt'], RIGHT: ['first.txt', 'second ‮.txt'] });
  await create({ json: { NUMBER: 1e21, OBJECT: { z: 0.1, a: [null, -0, 1e-7], é: 'é' } } });
  await create({}, { configuration: { priority: 7, settings: { LEVEL: 'low' } } });
  await create({}, { configuration: {} });
});

t.test('the answer to a new job says what it waits for', async (t) => {
  const world = await processingWorld(t);
  const job_type_id = await openType(world, 'waiting');
  const body = { job_type_id, input: {} };
  t.equal((await sameAsRead(t, world, '/v6/jobs/', body)).reason, null);

  const ofType = 'select key from scheduling_class where job_type_id = $1';
  const rows = await world.store.rows<{ key: string }>(ofType, [job_type_id]);
  const classes = rows.map(({ key }) => ({ key, unmet: 'needs 2 GPUs' }));
  await world.store.apply({ type: 'saveUnmet', types: [{ jobTypeId: job_type_id, unmet: 'gpus' }], classes });
  t.equal((await sameAsRead(t, world, '/v6/jobs/', body)).reason, 'needs 2 GPUs');

  await world.patch('/v6/job-types/waiting/1.0.0/', { is_paused: true });
  t.equal((await sameAsRead(t, world, '/v6/jobs/', body)).reason, 'its job type is paused');
});

t.test('the answer to the job of a trial is what a read finds', async (t) => {
  const world = await processingWorld(t);
  const fileId = await world.file({ size: 3 * 1024 * 1024, fileName: 'in.txt' });
  const { container_image, manifest, configuration } = jobTypeBody();
  const input = { files: { INPUT_TEXT: [fileId] }, json: { LIMIT: 5 } };
  await sameAsRead(t, world, '/v6/job-types/try/', { container_image, manifest, configuration, input });
});
