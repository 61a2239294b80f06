import t from 'tap';
import { asParsed, parsedSourcesOf, rememberParsed } from '../../../src/domain/file/parsed-source.ts';
import type { JobState } from '../../../src/domain/job/job.ts';
import type { ParsedInput } from '../../../src/domain/task/task-result.ts';
import { makeResult } from '../../support/fakes/task-reports.ts';
import { makeFile } from '../../support/worlds/type-revisions.ts';

const job = (over: Partial<JobState> = {}): JobState => ({
  ...{ id: 1, jobTypeId: 1, jobTypeRevId: 1, recipeId: 4, recipeNode: 'A', recipeIds: [4, 3], batchId: null },
  ...{ eventId: 1, configuration: null, isSuperseded: false, status: 'QUEUED', exeNum: 1, maxTries: 3 },
  ...{ output: null, source: null, input: { files: { IN: [1], MORE: [1, 2], OUT: [3] }, json: {} } },
  ...over,
});
const files = () =>
  new Map([
    [1, makeFile({ id: 1, tags: ['raw'], fileType: 'SOURCE' })],
    [2, makeFile({ id: 2, fileType: 'SOURCE' })],
    [3, makeFile({ id: 3, fileType: 'PRODUCT' })],
  ]);
const feature = (properties: unknown): Readonly<Record<string, unknown>> => ({ type: 'Feature', properties });
const report = (over: Partial<ParsedInput> = {}): ParsedInput => ({
  ...{ input: 'IN', fileId: 1, metadata: feature({}) },
  ...over,
});
const parsed = (reports: readonly ParsedInput[], ownJob = job()) =>
  parsedSourcesOf(makeResult({ id: 9, jobId: 1, exeNum: 1 }, { parsedInputs: reports }), ownJob, files(), 99);

t.test('parsed source: times, tags, sensors and footprint come from the side-car', async (t) => {
  const footprint = { geometry: 'POINT (1 2)', centerPoint: 'POINT (1 2)', countries: [] };
  const metadata = feature({
    ...{ dataStarted: '1970-01-01T00:00:01Z', dataEnded: '1970-01-01T00:00:02', dataTypes: ['a', 'b', 'a'] },
    ...{ sourceSensor: 's', sourceSensorClass: 'c', sourceCollection: 'x', sourceTask: 't', other: 5 },
  });
  t.match(parsed([report({ metadata, footprint })]), [
    {
      ...{ fileId: 1, jobId: 1, recipeIds: [4, 3], dataStartedMs: 1_000, dataEndedMs: 2_000 },
      ...{ tags: ['a', 'b'], sensor: 's', sensorClass: 'c', collection: 'x', task: 't', footprint, atMs: 99 },
      metadata: { other: 5, sourceSensor: 's' },
    },
  ]);
});

t.test(
  'parsed source: a missing end of the time equals the other one, and both may be missing',
  async (t) => {
    const span = (properties: object) => {
      const [one] = parsed([report({ metadata: feature(properties) })]);
      return [one?.dataStartedMs, one?.dataEndedMs];
    };
    t.strictSame(span({ dataStarted: '1970-01-01T00:00:01Z' }), [1_000, 1_000]);
    t.strictSame(span({ dataEnded: '1970-01-01T00:00:01+00:00' }), [1_000, 1_000]);
    t.strictSame(span({}), [null, null]);
    t.strictSame(span({ dataStarted: 'soon', dataEnded: 7 }), [null, null]);
  },
);

t.test('parsed source: only the single source file of an input gets parsed data', async (t) => {
  const wrong = [
    ...[report({ input: 'MORE' }), report({ input: 'MORE', fileId: 2 }), report({ input: 'NONE' })],
    ...[report({ fileId: 2 }), report({ input: 'OUT', fileId: 3 }), report({ input: '__proto__' })],
    report({ input: 'toString' }),
  ];
  t.strictSame(parsed(wrong), []);
  t.strictSame(parsed([report()], job({ input: null })), []);
  t.equal(parsed([report(), report()]).length, 1, 'reported twice');
});

t.test('parsed source: invalid tags are left out, and at most 100 are kept', async (t) => {
  const tags = (dataTypes: unknown) => parsed([report({ metadata: feature({ dataTypes }) })])[0]?.tags;
  t.strictSame(tags(['a', 1, null, '', 'b\u0000', 'c'.repeat(300), ['d']]), ['a']);
  t.strictSame(tags('a'), []);
  t.strictSame(tags(undefined), []);
  t.equal(tags(Array.from({ length: 500 }, (_, index) => `t${index}`))?.length, 100);
  t.strictSame(parsed([report({ metadata: feature([1]) })])[0]?.metadata, {}, 'no properties at all');
});

t.test('parsed source: parsed data are applied to the file and the job in memory', async (t) => {
  const metadata = feature({
    dataStarted: '1970-01-01T00:00:01Z',
    sourceSensor: 's',
    dataTypes: ['a', 'raw'],
  });
  const known = files();
  const one = job();
  rememberParsed(parsed([report({ metadata })]), one, known);
  t.match(known.get(1), {
    dataStartedMs: 1_000,
    sourceStartedMs: 1_000,
    sourceEndedMs: 1_000,
    sourceSensor: 's',
  });
  t.strictSame(known.get(1)?.tags, ['raw', 'a']);
  t.match(one.source, { startedMs: 1_000, endedMs: 1_000, sensor: 's', task: null });
  const [again] = parsed([report()]);
  const file = asParsed(known.get(1) as never, again as never);
  t.match(file, { dataStartedMs: null, sourceSensor: 's' }, 'times are replaced, and the sensor is kept');
});
