/** The `transfer_suffix` of a scan of a bucket: objects whose keys end with it are left out, until they do no more. */
import t from 'tap';
import { testBucket } from '../../support/s3/bucket.ts';
import { needs } from '../../support/services/services.ts';
import { startPair } from '../harness/pair.ts';
import { listed } from '../harness/quiet.ts';
import { until } from '../harness/until.ts';

interface Scan {
  readonly id: number;
  readonly file_count: number;
  readonly job: { readonly status: string } | null;
  readonly dry_run_job: { readonly status: string } | null;
}

t.test(
  'bucket: objects with the transfer suffix are neither counted nor ingested',
  needs('s3'),
  async (t) => {
    const { name: bucket, endpoint, credentials, client: store } = await testBucket(t);
    const { client } = await startPair(t);
    const workspace = await client.post<{ name: string }>('/v6/workspaces/', {
      title: 'Bucket',
      configuration: { broker: { type: 'objstore', bucket_name: bucket, endpoint, credentials } },
    });
    for (const key of ['in/a.txt', 'in/b.txt_part', 'c_part', 'd_part/e.txt', '_part', 'part']) {
      await store.putObject(bucket, key, `content of ${key}`);
    }
    const { id } = await client.post<Scan>('/v6/scans/', {
      title: 'Bucket',
      configuration: {
        workspace: workspace.name,
        scanner: { type: 'objstore', transfer_suffix: '_part' },
        files_to_ingest: [{ filename_regex: '.*', data_types: [] }],
      },
    });
    const done = (which: 'job' | 'dry_run_job') =>
      until(`the ${which} is done`, async () => {
        const scan = await client.get<Scan>(`/v6/scans/${id}/`);
        return scan[which]?.status === 'COMPLETED' && scan;
      });
    const paths = async () =>
      (await listed<{ file_path: string }>(client, '/v6/files/')).map((one) => one.file_path);

    await client.post(`/v6/scans/${id}/process/`, { ingest: false });
    t.equal((await done('dry_run_job')).file_count, 3);
    await client.post(`/v6/scans/${id}/process/`, { ingest: true });
    await until('three are ingested', async () => (await paths()).length === 3);
    await done('job');
    t.strictSame((await paths()).sort(), ['d_part/e.txt', 'in/a.txt', 'part']);

    await store.putObject(bucket, 'c', 'content of c_part');
    await store.removeObject(bucket, 'c_part');
    await client.post(`/v6/scans/${id}/process/`, { ingest: true });
    await until('what was complete later is ingested', async () => (await paths()).includes('c'));
    await done('job');
    t.strictSame((await paths()).sort(), ['c', 'd_part/e.txt', 'in/a.txt', 'part']);
  },
);
