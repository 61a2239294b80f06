/** What a job says whose image is not to be had. */
import t from 'tap';
import { needs, serviceUrl } from '../../support/services/services.ts';
import { startPair } from '../harness/pair.ts';
import { createJobType, type JobDetails, jobIs, queueJob } from '../harness/work/job-types.ts';

t.test('causes: a failed pull names image, registry and answer', needs('docker'), async (t) => {
  const { client } = await startPair(t, {
    agent: { MILLRACE_EXECUTORS: 'docker', MILLRACE_DOCKER_HOST: await serviceUrl('docker') },
  });
  const reasonOf = async (name: string, image: string): Promise<string | null> => {
    const id = await queueJob(
      client,
      await createJobType(client, { name, script: 'true', image, maxTries: 1 }),
    );
    const job = (await jobIs(client, id, ['FAILED', 'COMPLETED'], 240_000)) as JobDetails & {
      readonly reason: string | null;
    };
    t.match(job, { status: 'FAILED', error: { name: 'pull' } }, name);
    return job.reason;
  };
  // Nothing listens at that port: whoever pulls says so at once, wherever the tests run.
  const absent = await reasonOf('absent', '127.0.0.1:1/team/tool:9');
  t.match(
    absent,
    /^the image 127\.0\.0\.1:1\/team\/tool:9 could not be pulled from 127\.0\.0\.1:1: .*refused/s,
  );
  t.notMatch(absent, /did you mean/);
  const mistyped = await reasonOf('mistyped', 'proces:default:1');
  t.equal(mistyped, `'proces:default:1' is not the name of an image (did you mean process:default?)`);
});
