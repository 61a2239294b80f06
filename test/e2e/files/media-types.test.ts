/** The media type of products: what the manifest declares, whatever it is; else by the name of each file. */
import t from 'tap';
import { startPair } from '../harness/pair.ts';
import { listed } from '../harness/quiet.ts';
import { createJobType, jobIs, queueJob } from '../harness/work/job-types.ts';

interface Product {
  readonly file_name: string;
  readonly media_type: string;
}

t.test('media types: a declared application/octet-stream is kept', async (t) => {
  const { world, client } = await startPair(t);
  const { name: workspace } = await client.post<{ name: string }>('/v6/workspaces/', {
    title: 'Archive',
    configuration: { broker: { type: 'host', host_path: world.at.archive } },
  });
  const outputs = [
    { name: 'RAW', pattern: 'raw.*', mediaType: 'application/octet-stream' },
    { name: 'TABLE', pattern: 'table.*', mediaType: 'text/x-own' },
    { name: 'OPEN', pattern: 'open.*', multiple: true },
  ];
  const script = 'cd $OUTPUT_DIR; touch raw.png table.csv open.tif open.unknown-to-all';
  const typeId = await createJobType(client, { name: 'makes-files', script, outputs, workspace });
  const { manifest } = await client.get<{ manifest: { job: { interface: unknown } } }>(
    '/v6/job-types/makes-files/1.0.0/',
  );
  t.match(manifest.job.interface, { outputs: { files: outputs } });
  t.notMatch(
    manifest.job.interface,
    { outputs: { files: [{}, {}, { mediaType: String }] } },
    'none is made up',
  );

  const job = await jobIs(client, await queueJob(client, typeId), ['COMPLETED', 'FAILED']);
  t.equal(job.status, 'COMPLETED');
  const products = await listed<Product>(client, '/v6/files/?file_type=PRODUCT');
  t.strictSame(Object.fromEntries(products.map((one) => [one.file_name, one.media_type])), {
    'raw.png': 'application/octet-stream',
    'table.csv': 'text/x-own',
    'open.tif': 'image/tiff',
    'open.unknown-to-all': 'application/octet-stream',
  });
});
