import t, { type Test } from 'tap';
import type { OpenApiDocument } from '../../../src/http/openapi.ts';
import { seeded } from '../harness/work/seeded.ts';
import { clientOf } from '../harness/world.ts';
import {
  type Broken,
  brokenBySchema,
  brokenOnce,
  brokenTwice,
  complaint,
  shapeComplaint,
} from './broken-bodies.ts';
import { brokenTargets } from './broken-targets.ts';
import { contentOf, installation } from './installation.ts';
import { samplesOf } from './samples.ts';
import { Sender } from './sender.ts';

// What is reported of failures; the rest would only repeat it.
const TOLD_MAX = 20;
const PAIRS = 100;

/** As the address of an upload has it; there is no such upload. */
const UPLOAD = '1-00000000-0000-4000-8000-000000000000';

t.test('hostile requests: each is refused by name, and leaves nothing behind', async (t) => {
  const service = await installation(t);
  const sender = new Sender(service.program.url);
  t.teardown(() => sender.close());
  const samples = samplesOf(service.facts, service.world);
  const random = seeded(t);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random.between(0, from.length))] as T;

  const refused = async (t: Test, all: readonly Broken[]) => {
    const before = await contentOf(service.database);
    const answers = await sender.sendAll(all.map((one) => one.sent));
    const wrong = all.flatMap((one, index) => {
      const says = complaint(one, answers[index] as never);
      return says === undefined ? [] : [`${one.sent.method} ${one.sent.target} ${one.what}: ${says}`];
    });
    t.strictSame(wrong.slice(0, TOLD_MAX), [], `${all.length} bodies, ${wrong.length} not refused well`);
    t.strictSame(await contentOf(service.database), before, 'nothing is written');
  };

  await t.test('the samples themselves are accepted where they can be tried', async (t) => {
    for (const sample of samples.filter(({ route }) => route.endsWith('/validation/'))) {
      const { json, text } = await sender.send(sample);
      t.strictSame([json?.is_valid, json?.errors], [true, []], `${sample.target} ${text}`);
    }
  });
  for (const sample of samples) {
    await t.test(`${sample.method} ${sample.route}: every place is broken in every way`, (t) =>
      refused(t, brokenOnce(sample)),
    );
    await t.test(`${sample.method} ${sample.route}: two places are broken`, (t) =>
      refused(t, brokenTwice(sample, PAIRS, pick)),
    );
  }
  const document = await clientOf(service.program).get<OpenApiDocument>('/v6/openapi.json');
  await t.test('calls without a sample: every field of a wrong type is refused', (t) =>
    refused(
      t,
      brokenBySchema(document, samples, (path) => path.replace(/\{\w+\}/g, '1')),
    ),
  );
  await t.test('hostile paths and queries are refused', async (t) => {
    const { facts } = service;
    const all = brokenTargets(document, (path) => {
      const name = path.startsWith('/v6/recipe-types/') ? facts.recipeType : 'demo-keep';
      return {
        name,
        version: '1.0.0',
        revision_num: '1',
        exe_num: '1',
        stream: 'combined',
        id: idFor(path),
        upload: UPLOAD,
      };
    });
    const answers = await sender.sendAll(all.map((one) => one.sent));
    const wrong = all.flatMap(({ sent, statuses, named }, index) => {
      const answer = answers[index];
      const { status = 0, text = '', json = undefined } = answer ?? {};
      const isWrongStatus =
        statuses.length === 0 ? status < 200 || status >= 500 : !statuses.includes(status);
      const shape =
        status >= 400 && status !== 431 && answer !== undefined ? shapeComplaint(answer) : undefined;
      const isUnnamed =
        named !== undefined && !json?.errors?.some(({ path }: { path: string }) => path === named);
      const isRight = !isWrongStatus && shape === undefined && !isUnnamed;
      return isRight ? [] : [`${sent.method} ${sent.target.slice(0, 200)}: ${status} ${text.slice(0, 200)}`];
    });
    t.strictSame(wrong.slice(0, TOLD_MAX), [], `${all.length} targets, ${wrong.length} not answered well`);

    function idFor(path: string): string {
      const ids = [
        ...([
          ['workspaces', facts.workspaceId],
          ['strikes', facts.strikeId],
          ['files', facts.fileId],
        ] as const),
        ...([
          ['jobs', facts.jobId],
          ['recipes', facts.recipeId],
          ['ingests', facts.ingestId],
        ] as const),
      ];
      return String(ids.find(([word]) => path.startsWith(`/v6/${word}/`))?.[1] ?? facts.nodeId);
    }
  });
  const failures = service
    .logged()
    .filter(({ event }) => event === 'http_request_failed' || event === 'http_exchange_broken');
  t.strictSame(failures.slice(0, TOLD_MAX), [], 'no request failed');
  t.notOk(service.program.hasExited, 'it runs on');
});
